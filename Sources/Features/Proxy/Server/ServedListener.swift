import LinuxKernel
import ProxyControl
import ProxyProtocols

/// A listener as the proxy sees it.
final class ServedListener {
    /// Never used again.
    let number: Int
    var name: String
    var service: ListenerService
    var address: ListenAddress
    var proxyHeader: ProxyHeaderVersion?
    var behaviours: [StreamBehaviour]
    var link: ServedLink
    /// Nil while it is disabled.
    var sockets: ListenerSockets?
    var counters = ListenerCounters()

    init(
        _ number: Int, name: String, service: ListenerService, address: ListenAddress,
        link: ServedLink
    ) {
        self.number = number
        self.name = name
        self.service = service
        self.address = address
        self.link = link
        proxyHeader = nil
        behaviours = []
    }

    /// As controllers see it.
    var state: ListenerState {
        ListenerState(
            name: name, service: service, address: "\(address)", link: link.name,
            ownsLink: link.isOwned, annotation: link.isOwned ? link.named.annotation : nil,
            isEnabled: sockets != nil, proxyHeader: proxyHeader, behaviours: behaviours,
            counters: counters)
    }

    /// What the endpoint has to do.
    ///
    /// - Parameter door: The port and the token by which a Unix socket of the host is reached.
    func plan(door: (String) -> (port: UInt16, token: [UInt8])?) -> ServicePlan {
        var preface: [UInt8] = []
        let kind: ServicePlan.Kind
        switch service {
        case .socks: kind = .socks
        case .http: kind = .http
        case .forward(let text):
            var target = text
            if let address = try? TargetAddress(text), case .local(let path) = address,
                let door = door(path)
            {
                target = "127.0.0.1:\(door.port)"
                preface = door.token
            }
            if case .datagram = self.address {
                kind = .forwardDatagrams(to: target)
            } else {
                kind = .forward(to: target)
            }
        }
        var plan = ServicePlan(number: number, kind: kind)
        plan.isWithinHost = address.isWithinHost
        if case .local = address { plan.isLocal = true }
        plan.proxyHeader = proxyHeader
        plan.preface = preface
        plan.behaviours = behaviours
        return plan
    }

    /// Opens its sockets and has its link serve them.
    func open(_ plan: ServicePlan) throws(ControlError) {
        try link.expectAlive()
        let needsDatagrams =
            if case .socks = service { true } else { false }
        let sockets = try ListenerSockets(at: address, needsDatagrams: needsDatagrams)
        address = sockets.address
        self.sockets = sockets
        serve(plan)
    }

    /// Has its link serve its sockets.
    func serve(_ plan: ServicePlan) {
        guard let sockets else { return }
        link.send(.serve(plan), with: sockets.descriptors)
    }

    /// Closes its sockets and resets its connections.
    func close() {
        sockets?.close()
        sockets = nil
        link.send(.end(number))
        counters.open = 0
    }
}
