import Catalog
import HTTPAPI
import LinkModel
import ProxyControl
import Synchronization
import UserCatalog

/// Changes a proxy, one change after the other, so that controllers at the same time see each
/// other's changes whole.
///
/// Theory of operation. The proxy alone knows its listeners and links, and the behaviours of
/// streams. What it does not know is which conditions of a link are toxics: they are kept here, with
/// what the link was before (`ToxicLayer`), and the link gets the result as a profile with settings
/// (`ToxicPlan`). Without toxics the link is again as it was. A change of the link by `/v1/links` is
/// one of what is below the toxics.
final class ProxyEditor: Sendable {
    /// The proxy.
    let proxy: any ProxyController
    /// One change at a time.
    let turns = Turns()
    private let layers = Mutex<[String: ToxicLayer]>([:])

    init(_ proxy: any ProxyController) {
        self.proxy = proxy
    }

    /// The proxy's state.
    func state() async throws -> ProxyState {
        let state = try await proxy.state()
        let names = Set(state.listeners.map(\.name))
        layers.withLock { $0 = $0.filter { names.contains($0.key) } }
        return state
    }

    /// All toxics of a listener: Toxiproxy lists those of the client's data first.
    func toxics(of listener: ListenerState) -> [Toxic] {
        let onPackets = layers.withLock { $0[listener.name]?.toxics ?? [] }
        let toxics = onPackets + listener.behaviours.map(Toxic.init)
        return toxics.filter { $0.stream == .upstream }
            + toxics.filter { $0.stream == .downstream }
    }

    /// What is below the toxics of a link.
    func base(of link: LinkState, in state: ProxyState) -> LinkChange {
        layer(of: link, in: state)?.base
            ?? LinkChange(profile: link.profile, settings: link.settings)
    }

    /// The toxics that act on a link's packets.
    func toxics(of link: LinkState, in state: ProxyState) -> [Toxic] {
        layer(of: link, in: state)?.toxics ?? []
    }

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
    func change(
        _ link: LinkState, to base: LinkChange, in state: ProxyState
    ) async throws -> LinkState {
        guard let layer = layer(of: link, in: state), let owner = owner(of: link, in: state) else {
            return try await proxy.link(.changeLink(link.name, base))
        }
        let change = try plan(base, layer.toxics)
        let changed = try await proxy.link(.changeLink(link.name, change))
        layers.withLock { $0[owner]?.base = base }
        return changed
    }

    /// Keeps toxics with a listener that has got another name.
    func rename(_ name: String, to other: String) {
        layers.withLock { $0[other] = $0.removeValue(forKey: name) }
    }

    private func setPacketToxics(
        _ toxics: [Toxic], of listener: ListenerState, in state: ProxyState
    ) async throws {
        let layer = layers.withLock { $0[listener.name] }
        guard toxics != layer?.toxics ?? [] else { return }
        if let toxic = toxics.first(where: \.actsOnPackets), !listener.ownsLink {
            throw APIError(
                409,
                "\(listener.name) shares the link \(listener.link), so that \(toxic.type) would "
                    + "affect other listeners; change the link by PATCH /v1/links/\(listener.link), "
                    + "or give the listener a link of its own")
        }
        guard let link = state.links.first(where: { $0.name == listener.link }) else {
            throw APIError(409, "the link \(listener.link) of \(listener.name) is gone")
        }
        let base = layer?.base ?? LinkChange(profile: link.profile, settings: link.settings)
        let (before, after) = (try plan(base, layer?.toxics ?? []), try plan(base, toxics))
        if before != after { _ = try await proxy.link(.changeLink(link.name, after)) }
        layers.withLock {
            $0[listener.name] = toxics.isEmpty ? nil : ToxicLayer(base: base, toxics: toxics)
        }
    }

    private func plan(_ base: LinkChange, _ toxics: [Toxic]) throws -> LinkChange {
        try ToxicPlan.change(base, by: toxics) { change in
            let entry = try UserCatalog.profiles.entry(named: change.profile ?? "")
            return try entry.profile.conditions(changedBy: change.settings ?? [])
        }
    }

    private func layer(of link: LinkState, in state: ProxyState) -> ToxicLayer? {
        guard let owner = owner(of: link, in: state) else { return nil }
        return layers.withLock { $0[owner] }
    }

    private func owner(of link: LinkState, in state: ProxyState) -> String? {
        state.listeners.first { $0.ownsLink && $0.link == link.name }?.name
    }
}

/// The toxics on a listener's link, and what is below them.
private struct ToxicLayer {
    var base: LinkChange
    var toxics: [Toxic]
}
