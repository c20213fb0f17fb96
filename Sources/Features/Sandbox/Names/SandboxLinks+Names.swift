import LinkModel
import LinuxKernel

extension SandboxLinks {
    /// Starts the name server in the middle in the calling thread's network namespace, the far side's,
    /// if there may be one.
    func serveNames(_ network: SandboxNetwork) throws -> KernelThread? {
        guard request.mayAnswerNames || request.mayChange else { return nil }
        var doors: [IPAddress: NameDoor] = [:]
        for part in parts.values {
            for address in part.wire.addressesOutside { doors[address] = part.conditioned.nameDoor }
        }
        return try NameServer.start(
            at: network.portal, doors: doors,
            network: request.uplink == .none
                ? nil : network.farNetwork(request))
    }
}

extension SandboxRequest {
    /// Whether what stands in the middle of a link answers questions for names, or may later.
    fileprivate var mayAnswerNames: Bool {
        (interfaces.map(\.conditions) + laterConditions).compactMap(\.middle).contains {
            $0.family == .nat64 || $0.dns != nil || $0.captivePortal != nil
        }
    }
}

extension Wire {
    /// The addresses by which the far side may know the app.
    var addressesOutside: [IPAddress] { families.map(\.app) + (outside.map { [$0] } ?? []) }
}
