import LinkModel
import LinuxKernel
import Middleboxes

extension SandboxLinks {
    /// Whether a captive portal in the middle of an interface's link holds the app back.
    func isCaptive(_ interface: String) -> Bool {
        parts[interface]?.conditioned.portalDoor?.isClosed() ?? false
    }

    /// Tells apps whether a captive portal holds them back.
    func setCaptive(_ interface: String, _ isCaptive: Bool) {
        guard let state = interfaces.first(where: { $0.name == interface }) else { return }
        do {
            try setMark(interface, state.mark, isCaptive: isCaptive)
        } catch {
            onFailure(error)
        }
    }

    /// The events of the captive portal on an interface, as far as nobody has asked before.
    func takePortalEvents(on interface: String) -> [PortalEvent] {
        parts[interface]?.conditioned.takePortalEvents() ?? []
    }

    /// Starts the server of the captive portals in the calling thread's network namespace, the far
    /// side's, if there may be one.
    func servePortals(_ network: SandboxNetwork) throws -> KernelThread? {
        guard request.hasCaptivePortal || request.mayChange else { return nil }
        var doors: [IPAddress: PortalDoor] = [:]
        for part in parts.values {
            for address in part.wire.addressesOutside {
                doors[address] = part.conditioned.portalDoor
            }
        }
        return try PortalServer.start(at: network.portal, doors: doors)
    }
}

extension SandboxRequest {
    /// Whether a captive portal stands in the middle of a link, or may later.
    var hasCaptivePortal: Bool {
        (interfaces.map(\.conditions) + laterConditions)
            .contains { $0.middle?.captivePortal != nil }
    }

    /// The families to which a network is limited in the middle of a link, or may be later.
    var networkFamilies: Set<NetworkFamily> {
        Set((interfaces.map(\.conditions) + laterConditions).compactMap { $0.middle?.family })
    }
}
