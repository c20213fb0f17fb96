import LinuxKernel
import NetworkFacade
import NetworkPath
import Synchronization

/// The network as the kernel has it, for a thread that waits for other things as well.
final class NetworkWatch: Sendable {
    private let state = Mutex<Result<ReportedNetwork?, NetworkPathError>>(.success(nil))
    private let changed: WakeUp

    /// Begins to watch the network namespace of this process.
    init() throws {
        changed = try WakeUp()
        Task.detached { await self.follow() }
    }

    private func follow() async {
        do throws(NetworkPathError) {
            for try await path in NetworkPathMonitor() {
                state.withLock { $0 = .success(ReportedNetwork(path)) }
                changed.signal()
            }
        } catch {
            state.withLock { $0 = .failure(error) }
            changed.signal()
        }
    }

    /// Has `events` tell of changes.
    func wake(_ events: borrowing EventQueue, token: UInt64) throws {
        try events.watch(changed.descriptor, token: token, .edge)
    }

    /// The first state, for which it waits.
    func first() throws -> ReportedNetwork {
        let events = try EventQueue()
        try wake(events, token: 0)
        while true {
            if let network = try state.withLock({ try $0.get() }) { return network }
            _ = try events.wait(timeout: nil)
        }
    }

    /// The state as it is now.
    func current() throws -> ReportedNetwork {
        try state.withLock { try $0.get() } ?? .nothing
    }
}

extension ReportedNetwork {
    /// What programs are told of a path.
    init(_ path: NetworkPath) {
        let primary = path.interfacesInUse.first
        let others = path.interfaces.filter { $0.kind != .loopback && $0 != primary }
        self.init(
            reach: path.status == .satisfied
                ? .everywhere : others.contains(where: \.isUp) ? .local : .none,
            interfaces: ((primary.map { [$0] } ?? []) + others).map { ReportedInterface($0) })
    }
}

extension ReportedInterface {
    init(_ interface: NetworkInterface) {
        let kind: Kind =
            switch interface.kind {
            case .wired: .wired
            case .wifi: .wifi
            case .cellular: .cellular
            case .loopback, .other: .other
            }
        self.init(
            index: UInt32(bitPattern: interface.index), name: interface.name, kind: kind,
            isUp: interface.isUp,
            metered: MeteredFlag(
                isExpensive: interface.isExpensive, isConstrained: interface.isConstrained))
    }
}
