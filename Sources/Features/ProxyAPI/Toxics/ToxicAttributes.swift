import HTTPAPI
import JSONReading
import ProxyControl

/// The types of toxics and their attributes, as Toxiproxy names them, and linkcond's own.
enum ToxicAttributes {
    /// All types.
    static let types = [
        "latency", "bandwidth", "slow_close", "timeout", "reset_peer", "slicer", "limit_data",
        "noop", "loss", "profile", "down",
    ]

    /// The kind of a type with these attributes, those that are missing being 0 as in Toxiproxy; nil
    /// for an unknown type.
    static func kind(
        of type: String, _ attributes: JSONFields
    ) throws(FieldProblem) -> Toxic.Kind? {
        func number(_ key: String) throws(FieldProblem) -> Int { try attributes.integer(key) ?? 0 }
        switch type {
        case "latency":
            return .latency(milliseconds: try number("latency"), jitter: try number("jitter"))
        case "bandwidth": return .bandwidth(kilobytesPerSecond: try number("rate"))
        case "loss":
            let rate = try attributes.decimal("rate").map { $0 * 100 }
            let percent = try attributes.decimal("percent") ?? rate ?? 0
            return .loss(percent: percent, burst: try attributes.decimal("burst"))
        case "profile": return .profile(try attributes.text("name") ?? "")
        case "down": return .down
        case "noop": return .noop
        case "timeout": return .stream(.timeout(milliseconds: try number("timeout")))
        case "reset_peer": return .stream(.resetPeer(milliseconds: try number("timeout")))
        case "slow_close": return .stream(.slowClose(milliseconds: try number("delay")))
        case "limit_data": return .stream(.limitData(bytes: try number("bytes")))
        case "slicer":
            return .stream(
                .slicer(
                    averageBytes: try number("average_size"),
                    variationBytes: try number("size_variation"),
                    delayMicroseconds: try number("delay")))
        default: return nil
        }
    }

    /// The attribute in which Toxiproxy's clients give a field of a stream's behaviour.
    static func name(ofField field: String) -> String {
        switch field {
        case "milliseconds": "attributes"
        case "averageBytes": "attributes.average_size"
        case "variationBytes": "attributes.size_variation"
        case "delayMicroseconds": "attributes.delay"
        case "bytes": "attributes.bytes"
        default: field
        }
    }
}

extension Toxic {
    /// The type in Toxiproxy's API.
    var type: String {
        switch kind {
        case .latency: "latency"
        case .bandwidth: "bandwidth"
        case .loss: "loss"
        case .profile: "profile"
        case .down: "down"
        case .noop: "noop"
        case .stream(.timeout): "timeout"
        case .stream(.resetPeer): "reset_peer"
        case .stream(.slowClose): "slow_close"
        case .stream(.limitData): "limit_data"
        case .stream(.slicer): "slicer"
        }
    }

    /// The attributes in Toxiproxy's API.
    var attributes: JSONValue {
        switch kind {
        case .latency(let milliseconds, let jitter):
            ["latency": .integer(milliseconds), "jitter": .integer(jitter)]
        case .bandwidth(let rate): ["rate": .integer(rate)]
        case .loss(let percent, let burst?):
            ["percent": .decimal(percent), "burst": .decimal(burst)]
        case .loss(let percent, nil): ["percent": .decimal(percent)]
        case .profile(let name): ["name": .string(name)]
        case .down, .noop: [:]
        case .stream(.timeout(let milliseconds)), .stream(.resetPeer(let milliseconds)):
            ["timeout": .integer(milliseconds)]
        case .stream(.slowClose(let milliseconds)): ["delay": .integer(milliseconds)]
        case .stream(.limitData(let bytes)): ["bytes": .integer(bytes)]
        case .stream(.slicer(let average, let variation, let delay)):
            [
                "average_size": .integer(average), "size_variation": .integer(variation),
                "delay": .integer(delay),
            ]
        }
    }

    /// The toxic as Toxiproxy shows it.
    var json: JSONValue {
        [
            "attributes": attributes, "name": .string(name), "type": .string(type),
            "stream": .string(stream.rawValue), "toxicity": .decimal(toxicity),
        ]
    }
}
