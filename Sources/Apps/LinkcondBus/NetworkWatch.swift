import LinuxKernel
import NetworkFacade
import NetworkPath
import Synchronization

/// The network state from the kernel, for a thread that also waits for other things.
final class NetworkWatch: Sendable {
    private let state = Mutex<Result<ReportedNetwork?, NetworkPathError>>(.success(nil))
    private let changed: WakeUp

    /// Starts watching this process's network namespace.
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

    /// Registers changes with `events` under `token`.
    func wake(_ events: borrowing EventQueue, token: UInt64) throws {
        try events.watch(changed.descriptor, token: token, .edge)
    }

    /// Waits for the first state.
    func first() throws -> ReportedNetwork {
        let events = try EventQueue()
        try wake(events, token: 0)
        while true {
            if let network = try state.withLock({ try $0.get() }) { return network }
            _ = try events.wait(timeout: nil)
        }
    }

    /// The current state.
    func current() throws -> ReportedNetwork {
        try state.withLock { try $0.get() } ?? .nothing
    }
}

extension ReportedNetwork {
    /// The network reported to programs for a path.
    init(_ path: NetworkPath) {
        let captive = path.interfaces.first { $0.isCaptive && $0.isUp }
        let isCaptive = path.status != .satisfied && captive != nil
        let primary = isCaptive ? captive : path.interfacesInUse.first
        let others = path.interfaces.filter { $0.kind != .loopback && $0 != primary }
        self.init(
            reach: isCaptive
                ? .portal
                : path.status == .satisfied
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
