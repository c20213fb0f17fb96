import Glibc
import LinuxKernel
import SystemPackage

/// The processes of the app in a sandbox: the command and all its descendants, including those that
/// have left their parent, session or terminal.
///
/// The app is everything except the sandbox's own processes: the first process, processes on the
/// far side, and the sessions of the bus and of the scenario's commands. With several devices, it is
/// what runs in the network of its device, and descendants that made themselves another network.
struct AppProcesses {
    private let farNetwork: String
    /// The network of the device; nil: there is only one.
    private let network: String?
    private var foreignSessions: Set<Int32> = []

    /// Make this in the first process while it is on the far side.
    ///
    /// - Parameter device: The network namespace of the app's device; nil: there is only one.
    init(on device: FileDescriptor? = nil) {
        farNetwork = ListedProcess.network("self/ns/net") ?? ""
        network = device.map { ListedProcess.network("self/fd/\($0.rawValue)") ?? "" }
    }

    /// Excludes a session that is not the app's.
    mutating func exclude(session: Int32) { foreignSessions.insert(session) }

    /// The app's running or stopped processes.
    var all: Set<Int32> {
        let own = others { !foreignSessions.contains($0.session) }
            .filter { ListedProcess.network(of: $0) != farNetwork }
        guard network != nil else { return own }
        let parents = Dictionary(ListedProcess.all().map { ($0.id, $0.parent) }) { $1 }
        return own.filter { isOnDevice($0, parents) }
    }

    /// Whether a process or one of its ancestors is in the device's network.
    private func isOnDevice(_ process: Int32, _ parents: [Int32: Int32]) -> Bool {
        var ancestor = process
        // The first process belongs to no device.
        while ancestor > 1 {
            if ListedProcess.network(of: ancestor) == network { return true }
            ancestor = parents[ancestor] ?? 0
        }
        return false
    }

    /// All processes on the side of the apps, whether an app's or not, except some sessions.
    func onAppSide(without sessions: Set<Int32>) -> Set<Int32> {
        others { !sessions.contains($0.session) }
            .filter { ListedProcess.network(of: $0) != farNetwork }
    }

    /// The servers and their descendants.
    var onFarSide: Set<Int32> {
        others { _ in true }.filter { ListedProcess.network(of: $0) == farNetwork }
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
