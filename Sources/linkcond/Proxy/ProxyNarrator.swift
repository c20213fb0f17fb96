import LinkModel
import Proxy
import ProxyControl
import SystemPackage

/// Tells the user what a proxy does.
struct ProxyNarrator: ProxyListener {
    let console: Console
    let printsJSON: Bool
    let readyNumber: Int32?

    func isReady(_ state: ProxyState) {
        if let line = try? JSONText.line(of: ProxyJSON(state)) {
            if printsJSON { try? console.print("\(line)\n") }
            if let readyNumber {
                let descriptor = FileDescriptor(rawValue: readyNumber)
                _ = try? descriptor.writeAll("\(line)\n".utf8)
                try? descriptor.close()
            }
        }
        for listener in state.listeners {
            let link = state.links.first { $0.name == listener.link }
            let conditions = ([link?.profile].compactMap(\.self) + (link?.settings ?? []))
                .joined(separator: ", ")
            console.report("\(listener.address): \(listener.service.text) over \(conditions)")
        }
    }

    func note(_ text: String) { console.note(text) }
}

extension ListenerService {
    fileprivate var text: String {
        switch self {
        case .forward(let target): "to \(target)"
        case .socks: "SOCKS5"
        case .http: "HTTP proxy"
        }
    }
}

/// The listeners and links of a proxy, as `--json` and `--stats` print them. The keys are a stable
/// interface: see `Profiles/schema/proxy.schema.json`.
struct ProxyJSON: Encodable {
    @OrNull var api: String?
    let listeners: [Listener]
    let links: [Link]

    struct Listener: Encodable {
        let name: String
        let service: String
        let address: String
        @OrNull var target: String?
        let link: String
        let enabled: Bool
        let openConnections: Int
        let acceptedConnections: UInt64
        let failedConnections: UInt64
        let refusedConnections: UInt64
        let upstreamBytes: UInt64
        let downstreamBytes: UInt64
        @OrNull var lastFailure: String?
    }

    struct Link: Encodable {
        let name: String
        let profile: String
        let settings: [String]
        @OrNull var backend: DataPlaneKind?
        @OrNull var problem: String?
        let down: DirectionCounters
        let up: DirectionCounters
    }

    init(_ state: ProxyState) {
        api = state.api
        listeners = state.listeners.map { listener in
            let counters = listener.counters
            var target: String?
            let service: String
            switch listener.service {
            case .forward(let text): (service, target) = ("forward", text)
            case .socks: service = "socks"
            case .http: service = "http"
            }
            return Listener(
                name: listener.name, service: service, address: listener.address, target: target,
                link: listener.link, enabled: listener.isEnabled,
                openConnections: counters.open, acceptedConnections: counters.accepted,
                failedConnections: counters.failed, refusedConnections: counters.refused,
                upstreamBytes: counters.upstreamBytes,
                downstreamBytes: counters.downstreamBytes, lastFailure: counters.lastFailure)
        }
        links = state.links.map {
            Link(
                name: $0.name, profile: $0.profile, settings: $0.settings, backend: $0.backend,
                problem: $0.problem, down: $0.counters.down, up: $0.counters.up)
        }
    }
}
