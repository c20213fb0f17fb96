import Glibc
import LinuxKernel

/// The processes of the app in a sandbox: the command and all its descendants, including those that
/// have left their parent, session or terminal.
///
/// The app is everything except the sandbox's own processes: the first process, processes on the
/// far side, and the sessions of the bus and of the scenario's commands.
struct AppProcesses {
    private let farNetwork: String
    private var foreignSessions: Set<Int32> = []

    /// Make this in the first process while it is on the far side.
    init() {
        farNetwork = ListedProcess.network(of: "self") ?? ""
    }

    /// Excludes a session that is not the app's.
    mutating func exclude(session: Int32) { foreignSessions.insert(session) }

    /// The app's running or stopped processes.
    var all: Set<Int32> {
        others { !foreignSessions.contains($0.session) }
            .filter { ListedProcess.network(of: "\($0)") != farNetwork }
    }

    /// All processes on the app's side, whether the app's or not, except one session.
    func onAppSide(without session: Int32?) -> Set<Int32> {
        others { $0.session != session }
            .filter { ListedProcess.network(of: "\($0)") != farNetwork }
    }

    /// The servers and their descendants.
    var onFarSide: Set<Int32> {
        others { _ in true }.filter { ListedProcess.network(of: "\($0)") == farNetwork }
    }

    /// All except the first process.
    var inSandbox: Set<Int32> { others { _ in true } }

    private func others(where isMeant: (ListedProcess) -> Bool) -> Set<Int32> {
        let others = ListedProcess.all().filter { $0.id != 1 && !$0.hasEnded && isMeant($0) }
        return Set(others.map(\.id))
    }

    /// Sends a signal to each process that exists now.
    ///
    /// Processes that they start afterwards do not get it: these may be their reaction.
    func signal(_ number: Int32) {
        for process in all { Process.signal(number, to: process) }
    }

    /// Sends a signal that ends or stops its receivers, repeatedly until all have it: a process may
    /// have been forking.
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
