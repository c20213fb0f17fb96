import Glibc
import LinuxKernel

/// The end of a child process, whose number is another's afterwards.
///
/// No thread waits for it: as many children that do not end as there are threads for what may block
/// would keep every command from running.
actor ChildEnd {
    private let process: Int32
    private var code: Int32?

    private static let interval = Duration.milliseconds(20)

    init(of process: Int32) {
        self.process = process
    }

    /// Asks it to end, as Ctrl-C does.
    nonisolated func interrupt() {
        Task { await send(SIGINT) }
    }

    private func send(_ signal: Int32) {
        if code == nil { Process.signal(signal, to: process) }
    }

    /// Waits until it has ended, and returns its exit code; for one that is about to end.
    func wait() async -> Int32 {
        while true {
            if let code { return code }
            if let end = Process.reap(process) {
                code = end.shellCode
            } else {
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    /// Waits for one that has been told to end, and kills it if it does not.
    func wait(killingAfter patience: Duration) async {
        let impatience = Task {
            try await Task.sleep(for: patience)
            send(SIGKILL)
        }
        _ = await wait()
        impatience.cancel()
    }
}
