import LinkModel
import ProxyAPI
import ProxyControl

/// A proxy that opens no sockets and carries no packets, but keeps its state as the real one does.
actor FakeProxy: ProxyController {
    private(set) var state = ProxyState(listeners: [], links: [])
    /// Every order, except for those of the state.
    private(set) var orders: [ProxyRequest] = []
    private var nextPort = 40_000
    /// Awaited before each change, to let others in.
    private var pause: (@Sendable () async -> Void)?

    func setPause(_ pause: @escaping @Sendable () async -> Void) { self.pause = pause }

    /// The link of a listener.
    func link(of listener: String) -> LinkState? {
        let name = state.listeners.first { $0.name == listener }?.link
        return state.links.first { $0.name == name }
    }

    func behaviours(of listener: String) -> [StreamBehaviour] {
        state.listeners.first { $0.name == listener }?.behaviours ?? []
    }

    func send(_ request: ProxyRequest) async throws(ControlError) -> ProxyReply {
        if case .state = request { return .state(state) }
        orders.append(request)
        await pause?()
        do {
            return try answer(request)
        } catch let error as ControlError {
            return .failed(error)
        } catch {
            return .failed(ControlError(.failed, "\(error)"))
        }
    }

    private func answer(_ request: ProxyRequest) throws -> ProxyReply {
        switch request {
        case .state, .subscribe, .unsubscribe, .serves: return .done
        case .createListener(let wanted): return .listener(try create(wanted))
        case .changeListener(let name, let change): return .listener(try self.change(name, change))
        case .deleteListener(let name):
            let listener = state.listeners.remove(at: try index(of: name))
            if listener.ownsLink { state.links.removeAll { $0.name == listener.link } }
            return .done
        case .closeConnections(let name): return .listener(state.listeners[try index(of: name)])
        case .createLink(let wanted):
            guard !state.links.contains(where: { $0.name == wanted.name }) else {
                throw ControlError(.nameTaken, "there is a link \(wanted.name) already")
            }
            let link = LinkState(
                name: wanted.name, phase: .up, profile: wanted.conditions.profile ?? "Baseline",
                settings: wanted.conditions.settings ?? [], seed: wanted.seed ?? 1)
            state.links.append(link)
            return .link(link)
        case .changeLink(let name, let change):
            return .link(
                try changeLink(name) { link in
                    link.settings =
                        change.settings ?? (change.profile == nil ? link.settings : [])
                    link.profile = change.profile ?? link.profile
                    link.annotation = change.annotation
                })
        case .deleteLink(let name):
            _ = try changeLink(name) { _ in }
            guard !state.listeners.contains(where: { $0.link == name }) else {
                throw ControlError(.linkInUse, "listeners use the link \(name)")
            }
            state.links.removeAll { $0.name == name }
            return .done
        case .startScenario(let name, let scenario):
            return .link(try changeLink(name) { $0.scenario = scenario })
        case .stopScenario(let name): return .link(try changeLink(name) { $0.scenario = nil })
        }
    }

    private func create(_ wanted: ListenerRequest) throws -> ListenerState {
        let name = wanted.name ?? wanted.address
        guard !state.listeners.contains(where: { $0.name == name }) else {
            throw ControlError(.nameTaken, "there is a listener \(name) already")
        }
        let listener = ListenerState(
            name: name, service: wanted.service, address: try open(wanted.address),
            link: wanted.link ?? name, ownsLink: wanted.link == nil, isEnabled: wanted.isEnabled,
            proxyHeader: wanted.proxyHeader, behaviours: wanted.behaviours)
        if wanted.link == nil {
            state.links.append(
                LinkState(
                    name: name, phase: .up, profile: wanted.conditions?.profile ?? "Baseline",
                    settings: wanted.conditions?.settings ?? [], seed: 1))
        } else if !state.links.contains(where: { $0.name == wanted.link }) {
            throw ControlError(.noSuchLink, "there is no link \(wanted.link ?? "")")
        }
        state.listeners.append(listener)
        return listener
    }

    private func change(_ name: String, _ change: ListenerChange) throws -> ListenerState {
        let index = try index(of: name)
        var listener = state.listeners[index]
        if let address = change.address { listener.address = try open(address) }
        listener.name = change.name ?? listener.name
        listener.service = change.service ?? listener.service
        listener.link = change.link ?? listener.link
        listener.isEnabled = change.isEnabled ?? listener.isEnabled
        listener.behaviours = change.behaviours ?? listener.behaviours
        state.listeners[index] = listener
        return listener
    }

    private func changeLink(
        _ name: String, _ body: (inout LinkState) -> Void
    ) throws -> LinkState {
        guard let index = state.links.firstIndex(where: { $0.name == name }) else {
            throw ControlError(.noSuchLink, "there is no link \(name)")
        }
        body(&state.links[index])
        for listener in state.listeners.indices
        where state.listeners[listener].ownsLink && state.listeners[listener].link == name {
            state.listeners[listener].annotation = state.links[index].annotation
        }
        return state.links[index]
    }

    private func index(of name: String) throws -> Int {
        guard let index = state.listeners.firstIndex(where: { $0.name == name }) else {
            throw ControlError(.noSuchListener, "there is no listener \(name)")
        }
        return index
    }

    private func open(_ address: String) throws -> String {
        if address.hasSuffix(":0") {
            nextPort += 1
            return "\(address.dropLast(2)):\(nextPort)"
        }
        guard !state.listeners.contains(where: { $0.address == address }) else {
            throw ControlError(.addressInUse, "\(address): another program listens there")
        }
        return address
    }
}
