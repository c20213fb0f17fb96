import DataPlane
import LinkModel
import LinuxKernel
import Netlink
import TrafficControl

/// Tests which hooks the kernel supports, by using them.
public enum HookProbe {
    /// The support of the host.
    public struct Answer: Sendable, Hashable {
        /// Why nftables cannot be used, and what to do; nil if it can.
        public var lackOfTables: EngineError?
        /// Why tc filters cannot be used; nil if they can.
        public var lackOfFilters: EngineError?

        /// What the engine lacks; nil if it can serve interfaces.
        public var lack: EngineError? {
            guard let lackOfTables, let lackOfFilters else { return nil }
            return .lacking([lackOfTables, lackOfFilters])
        }
    }

    /// Tests in a new network namespace. Requires `CAP_SYS_ADMIN`, for the namespace, and
    /// `CAP_NET_ADMIN`.
    public static func run() throws -> Answer {
        try Privilege.requireTryingNetworks()
        return try NetworkNamespace.withNew {
            Answer(lackOfTables: lackOfTables, lackOfFilters: lackOfFilters)
        }
    }

    /// The kind that the engine would use here, as far as the caller may test.
    static var likelyKind: HookKind {
        if HookKind.allowed == [.clsact] { return .clsact }
        guard Privilege.mayTryNetworks else { return .nftables }
        let needsFilters = try? NetworkNamespace.withNew {
            lackOfTables != nil && lackOfFilters == nil
        }
        return needsFilters == true ? .clsact : .nftables
    }

    private static var lackOfTables: EngineError? { lack { try PacketFilterHooks.test() } }

    private static var lackOfFilters: EngineError? {
        lack {
            // Every namespace has a loopback interface.
            let loopback = Interface(index: 1, name: "lo")
            let redirect = Redirect(target: loopback, address: [0, 0, 0, 0, 0, 0], direction: .up)
            let session = try NetlinkSession()
            let mark = RedirectMark(
                target: loopback.index, since: 0, name: "probe", profile: "probe")
            _ = try session.execute(redirect.wire(mark).map(\.message))
            let hooks = try ClassifierHooks()
            let way = HookTable.Way(redirect: redirect, selector: .everything)
            try hooks.change(
                to: [loopback.index: HookTable(target: loopback, ways: [way])], isForced: true)
        }
    }

    private static func lack(_ body: () throws -> Void) -> EngineError? {
        do {
            try body()
            return nil
        } catch {
            return error as? EngineError ?? EngineError("\(error)")
        }
    }
}
