import Glibc
import LinuxKernel

/// The processes of a sandbox that are the app's: the command and all that comes of it, also what
/// has left its parent, its session or its terminal.
///
/// The app is what remains when the sandbox's own are left out: the first process, whoever is on
/// the far side, and the sessions of the bus and of commands that the scenario runs.
struct AppProcesses {
    private let farNetwork: String
    private var foreignSessions: Set<Int32> = []

    /// To be made by the first process while it is on the far side.
    init() {
        farNetwork = ListedProcess.network(of: "self") ?? ""
    }

    /// Leaves a session out, which is not the app's.
    mutating func exclude(session: Int32) { foreignSessions.insert(session) }

    /// Those that run or are stopped.
    var all: Set<Int32> {
        others { !foreignSessions.contains($0.session) }
            .filter { ListedProcess.network(of: "\($0)") != farNetwork }
    }

    /// All on the app's side, whether they are the app's or not, but for a session.
    func onAppSide(without session: Int32?) -> Set<Int32> {
        others { $0.session != session }
            .filter { ListedProcess.network(of: "\($0)") != farNetwork }
    }

    /// The servers, and what came of them.
    var onFarSide: Set<Int32> {
        others { _ in true }.filter { ListedProcess.network(of: "\($0)") == farNetwork }
    }

    /// All but the first process.
    var inSandbox: Set<Int32> { others { _ in true } }

    private func others(where isMeant: (ListedProcess) -> Bool) -> Set<Int32> {
        let others = ListedProcess.all().filter { $0.id != 1 && !$0.hasEnded && isMeant($0) }
        return Set(others.map(\.id))
    }

    /// Sends a signal to each of those that are there now.
    ///
    /// Not to what they start then: that may be what they do about it.
    func signal(_ number: Int32) {
        for process in all { Process.signal(number, to: process) }
    }

    /// Sends a signal that ends or stops whoever gets it, to the last of them: one may have been
    /// about to make another.
    func halt(_ number: Int32) {
        var halted: Set<Int32> = []
        while true {
            let others = all.subtracting(halted)
            guard !others.isEmpty else { return }
            for process in others { Process.signal(number, to: process) }
            halted.formUnion(others)
        }
    }
}
