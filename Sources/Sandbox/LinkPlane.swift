import Conditioner
import LinkModel
import LinuxKernel
import Netlink
import PacketLoop

/// What conditions the wire between the app and the far side.
enum LinkPlane {
    case kernel(Conditioner)
    case engine(PacketLoop)

    /// Conditions the wire in the calling thread's namespace, which is the link's.
    ///
    /// Also returns what the user may want to know of the choice.
    static func start(_ request: SandboxRequest) throws -> (LinkPlane, explanation: String) {
        switch request.backend {
        case .kernel:
            return (.kernel(try condition(request)), "kernel data plane, as asked for")
        case .engine:
            return (.engine(try emulate(request)), "packet engine, as asked for")
        case .auto:
            if let reason = request.engineReason {
                return (.engine(try emulate(request)), "packet engine: \(reason)")
            }
            // Asking is quick; trying, failing and taking back is not.
            if try FeatureProbe.finds(missing: .netem) {
                return (.engine(try emulate(request)), "packet engine: this kernel has no netem")
            }
            do {
                return (.kernel(try condition(request)), "kernel data plane")
            } catch let error as ConditionerError {
                return (.engine(try emulate(request)), "packet engine: \(error)")
            }
        }
    }

    private static func emulate(_ request: SandboxRequest) throws -> PacketLoop {
        let loop = try PacketLoop(
            appSide: SandboxNetwork.appEnd.index, farSide: SandboxNetwork.farEnd.index,
            conditions: request.conditions, traces: request.traces,
            seed: request.seed ?? UInt64.random(in: .min ... .max))
        try loop.start()
        return loop
    }

    /// A switch joins the ends, and qdiscs condition what crosses the far one, both ways.
    private static func condition(_ request: SandboxRequest) throws -> Conditioner {
        let session = try NetlinkSession()
        try session.executeAll(SandboxNetwork.bridgeMessages)
        do {
            let conditioner = try Conditioner(environment: [:])
            try conditioner.applyTransiently(
                ApplyRequest(
                    conditions: request.conditions, profile: request.profile,
                    interfaces: [SandboxNetwork.farEnd.name], now: 0))
            return conditioner
        } catch {
            // The packet engine, if it comes next, wants the ends for itself.
            try session.executeAll([Link.delete(index: SandboxNetwork.bridge.index)])
            throw error
        }
    }

    /// What passed over the link, as JSON.
    func statistics() -> String? { nil }
}

extension SandboxRequest {
    /// Why only the packet engine will do; nil if the kernel may.
    fileprivate var engineReason: String? {
        if conditions.up.trace != nil || conditions.down.trace != nil {
            return "the kernel plays no delivery traces"
        }
        return seed == nil ? nil : "the kernel does not take a seed"
    }
}
