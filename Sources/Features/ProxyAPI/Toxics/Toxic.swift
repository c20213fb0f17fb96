import HTTPAPI
import ProxyControl

/// What a client of Toxiproxy's API puts between a listener and its target.
///
/// The types that act on packets are conditions of the listener's own link; the others are
/// behaviours of its streams, which the proxy carries out.
struct Toxic: Sendable, Hashable, Codable {
    /// What it does.
    enum Kind: Sendable, Hashable, Codable {
        /// Adds to the delay of packets and to its jitter.
        case latency(milliseconds: Int, jitter: Int)
        /// Limits the rate; 0 lets nothing through.
        case bandwidth(kilobytesPerSecond: Int)
        /// Loses packets, in bursts of this mean length.
        case loss(percent: Double, burst: Double?)
        /// Replaces the link's profile, in both directions.
        case profile(String)
        /// Lets nothing through in either direction.
        case down
        /// Does nothing.
        case noop
        /// Is done to the streams.
        case stream(StreamBehaviour.Kind)
    }

    /// Unique within the listener.
    var name: String
    /// What it does.
    var kind: Kind
    /// To data in which direction.
    var stream: StreamBehaviour.Direction
    /// The share of connections that it affects.
    var toxicity: Double

    init(
        name: String, _ kind: Kind, _ stream: StreamBehaviour.Direction = .downstream,
        toxicity: Double = 1
    ) {
        self.name = name
        self.kind = kind
        self.stream = stream
        self.toxicity = toxicity
    }

    init(_ behaviour: StreamBehaviour) {
        self.init(
            name: behaviour.name, .stream(behaviour.kind), behaviour.direction,
            toxicity: behaviour.toxicity)
    }

    /// The behaviour of streams that it is; nil if it acts on packets.
    var behaviour: StreamBehaviour? {
        guard case .stream(let behaviour) = kind else { return nil }
        return StreamBehaviour(name: name, behaviour, stream, toxicity: toxicity)
    }

    /// Whether it changes what a link does to packets.
    var actsOnPackets: Bool {
        switch kind {
        case .stream, .noop: false
        default: toxicity > 0
        }
    }

    /// Why it cannot be carried out; nil if it can.
    var problem: FieldProblem? {
        guard (0...1).contains(toxicity) else {
            return FieldProblem(
                field: "toxicity",
                explanation: "\(toxicity) is no probability; give 0 to 1")
        }
        if actsOnPackets, toxicity < 1 {
            return FieldProblem(
                field: "toxicity",
                explanation: "all connections of a listener share its link, so that \(type) cannot "
                    + "affect a share of them; give 1 or 0, or a listener with another link to "
                    + "some of the clients")
        }
        switch kind {
        case .latency(let milliseconds, let jitter):
            return negative(milliseconds, "latency") ?? negative(jitter, "jitter")
        case .bandwidth(let rate):
            return negative(rate, "rate")
        case .loss(let percent, let burst):
            guard (0...100).contains(percent) else {
                return FieldProblem(
                    field: "attributes.percent", explanation: "\(percent) is not from 0 to 100")
            }
            guard let burst, burst < 1 else { return nil }
            return FieldProblem(
                field: "attributes.burst", explanation: "a burst has at least 1 packet")
        case .profile(let name):
            return name.isEmpty
                ? FieldProblem(
                    field: "attributes.name", explanation: "is missing; give a profile such as 3G")
                : nil
        case .down, .noop: return nil
        case .stream:
            return behaviour?.problem.map {
                FieldProblem(
                    field: $0.field.map(ToxicAttributes.name(ofField:)) ?? "attributes",
                    explanation: $0.description)
            }
        }
    }

    private func negative(_ value: Int, _ attribute: String) -> FieldProblem? {
        guard value < 0 else { return nil }
        return FieldProblem(
            field: "attributes.\(attribute)", explanation: "\(value) is negative")
    }
}
