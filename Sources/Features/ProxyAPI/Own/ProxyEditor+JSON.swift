import HTTPAPI
import JSONReading
import LinkModel
import LinkUnits
import ProxyControl

extension ProxyEditor {
    /// What controllers set of a listener; its version is that of this.
    func configuration(of listener: ListenerState) -> [JSONMember] {
        let service: (name: String, target: String?) =
            switch listener.service {
            case .forward(let target): ("forward", target)
            case .socks: ("socks", nil)
            case .http: ("http", nil)
            }
        let behaviours = listener.behaviours.map { behaviour -> JSONValue in
            let toxic = Toxic(behaviour)
            guard case .object(let attributes) = toxic.attributes else { return .null }
            let common: [JSONMember] = [
                JSONMember(key: "name", value: .string(toxic.name)),
                JSONMember(key: "type", value: .string(toxic.type)),
                JSONMember(key: "direction", value: .string(toxic.stream.rawValue)),
                JSONMember(key: "toxicity", value: .decimal(toxic.toxicity)),
            ]
            return .object(common + attributes)
        }
        return members([
            "name": .string(listener.name), "address": .string(listener.address),
            "protocol": .string(service.name), "target": .text(service.target),
            "link": .string(listener.link), "ownsLink": .bool(listener.ownsLink),
            "enabled": .bool(listener.isEnabled),
            "proxyHeader": .text(listener.proxyHeader?.rawValue),
            "behaviours": .array(behaviours),
            "toxics": .array(toxics(of: listener).filter { $0.behaviour == nil }.map(\.json)),
        ])
    }

    /// A listener for clients.
    func shown(_ listener: ListenerState) -> JSONValue {
        let configuration = configuration(of: listener)
        return .object(
            configuration
                + members([
                    "version": .string(Version.of(configuration)),
                    "counters": listener.counters.json,
                ]))
    }

    /// What controllers set of a link.
    func configuration(of link: LinkState) -> [JSONMember] {
        let base = base(of: link)
        return members([
            "name": .string(link.name), "profile": .text(base.profile),
            "settings": .texts(base.settings ?? []),
            "toxics": .array(toxics(of: link).map(\.json)),
            "scenario": .text(link.scenario), "seed": .integer(link.seed),
        ])
    }

    /// A link for clients.
    func shown(_ link: LinkState) -> JSONValue {
        let configuration = configuration(of: link)
        return .object(
            configuration
                + members([
                    "version": .string(Version.of(configuration)),
                    "inForce": [
                        "profile": .string(link.profile), "settings": .texts(link.settings),
                    ],
                    "phase": .string(link.phase.rawValue), "problem": .text(link.problem),
                    "backend": .text(link.backend?.rawValue), "counters": link.counters.json,
                ]))
    }

    private func members(_ value: JSONValue) -> [JSONMember] {
        guard case .object(let members) = value else { return [] }
        return members
    }
}

extension ListenerCounters {
    /// The counters for clients.
    var json: JSONValue {
        [
            "open": .integer(open), "accepted": .integer(accepted), "failed": .integer(failed),
            "refused": .integer(refused), "upstreamBytes": .integer(upstreamBytes),
            "downstreamBytes": .integer(downstreamBytes), "lastFailure": .text(lastFailure),
        ]
    }
}

extension LinkCounters {
    /// The counters for clients.
    var json: JSONValue { ["up": up.json, "down": down.json] }
}

extension DirectionCounters {
    fileprivate var json: JSONValue {
        [
            "packets": .integer(packets), "bytes": .integer(bytes.bytes),
            "dropped": .integer(dropped), "lost": .integer(lost),
            "ecnMarkedPackets": .integer(marked), "queuedPackets": .integer(queuedPackets),
            "bitsPerSecond": .integer(bitsPerSecond),
        ]
    }
}

extension ProxyCounters {
    /// The counters for clients.
    var json: JSONValue {
        func object<Value>(_ values: [String: Value], _ json: (Value) -> JSONValue) -> JSONValue {
            .object(
                values.sorted { $0.key < $1.key }.map {
                    JSONMember(key: $0.key, value: json($0.value))
                })
        }
        return ["listeners": object(listeners, \.json), "links": object(links, \.json)]
    }
}
