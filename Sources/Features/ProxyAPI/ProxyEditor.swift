import Catalog
import HTTPAPI
import LinkModel
import ProxyControl
import UserCatalog

/// Changes a proxy, one change after the other, so that controllers at the same time see each
/// other's changes whole.
///
/// Theory of operation. The proxy alone knows its listeners and links, and the behaviours of
/// streams. What it does not know is which conditions of a link are toxics: the link gets what they
/// make of it as a profile with settings (`ToxicPlan`), and keeps the toxics and what is below them as
/// an annotation (`ToxicLayer`), so that this program may end at any time. Without toxics the link is
/// again as it was. A change of the link by `/v1/links` is one of what is below the toxics.
final class ProxyEditor: Sendable {
    /// The proxy.
    let proxy: any ProxyController
    /// One change at a time.
    let turns = Turns()

    init(_ proxy: any ProxyController) {
        self.proxy = proxy
    }

    /// The proxy's state.
    func state() async throws -> ProxyState { try await proxy.state() }

    /// All toxics of a listener: Toxiproxy lists those of the client's data first.
    func toxics(of listener: ListenerState) -> [Toxic] {
        let onPackets = ToxicLayer(listener.annotation)?.toxics ?? []
        let toxics = onPackets + listener.behaviours.map(Toxic.init)
        return toxics.filter { $0.stream == .upstream }
            + toxics.filter { $0.stream == .downstream }
    }

    /// What is below the toxics of a link.
    func base(of link: LinkState) -> LinkChange {
        ToxicLayer(link.annotation)?.base
            ?? LinkChange(profile: link.profile, settings: link.settings)
    }

    /// The toxics that act on a link's packets.
    func toxics(of link: LinkState) -> [Toxic] { ToxicLayer(link.annotation)?.toxics ?? [] }

    // MARK: Changes, in a turn

    /// Gives a listener these toxics in place of those that it has.
    func setToxics(
        _ toxics: [Toxic], of listener: ListenerState, in state: ProxyState
    ) async throws -> ListenerState {
        let onPackets = toxics.filter { $0.behaviour == nil }
        try await setPacketToxics(onPackets, of: listener, in: state)
        let behaviours = toxics.compactMap(\.behaviour)
        guard Set(behaviours) != Set(listener.behaviours) else { return listener }
        var change = ListenerChange()
        change.behaviours = behaviours
        return try await proxy.listener(.changeListener(listener.name, change))
    }

    /// Changes what is below the toxics of a link.
    func change(_ link: LinkState, to base: LinkChange) async throws -> LinkState {
        let layer = ToxicLayer(base: base, toxics: toxics(of: link))
        return try await proxy.link(.changeLink(link.name, change(layer)))
    }

    private func setPacketToxics(
        _ toxics: [Toxic], of listener: ListenerState, in state: ProxyState
    ) async throws {
        guard toxics != ToxicLayer(listener.annotation)?.toxics ?? [] else { return }
        guard listener.ownsLink else {
            throw APIError(
                409,
                "\(listener.name) shares the link \(listener.link), so that "
                    + "\(toxics.last?.type ?? "this") would affect other listeners; change the link "
                    + "by PATCH /v1/links/\(listener.link), or give the listener a link of its own")
        }
        guard let link = state.links.first(where: { $0.name == listener.link }) else {
            throw APIError(409, "the link \(listener.link) of \(listener.name) is gone")
        }
        let layer = ToxicLayer(base: base(of: link), toxics: toxics)
        _ = try await proxy.link(.changeLink(link.name, change(layer)))
    }

    /// What a link becomes by toxics.
    private func change(_ layer: ToxicLayer) throws -> LinkChange {
        var change = try ToxicPlan.change(layer.base, by: layer.toxics) { change in
            let entry = try UserCatalog.profiles.entry(named: change.profile ?? "")
            return try entry.profile.conditions(changedBy: change.settings ?? [])
        }
        change.annotation = try layer.toxics.isEmpty ? nil : layer.annotation
        return change
    }
}

/// The toxics on a listener's link, and what is below them.
private struct ToxicLayer: Codable {
    var base: LinkChange
    var toxics: [Toxic]

    init(base: LinkChange, toxics: [Toxic]) { (self.base, self.toxics) = (base, toxics) }

    /// Reads what a link keeps; nil if that is nothing.
    init?(_ annotation: String?) {
        guard let annotation,
            let layer = try? ControlLine.decode(Self.self, from: Array(annotation.utf8))
        else { return nil }
        self = layer
    }

    /// What a link keeps.
    var annotation: String {
        get throws {
            String(decoding: try ControlLine.encode(self).dropLast(), as: UTF8.self)
        }
    }
}
