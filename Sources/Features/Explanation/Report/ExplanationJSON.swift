import LinkModel
import LinkUnits

/// The output of `linkcond explain --json`. The keys are a stable interface: see
/// `Profiles/schema/explanation.schema.json`.
public struct ExplanationJSON: Encodable, Sendable {
    let capture: String
    let comment: String
    let durationSeconds: Double
    let hasTimesOfCommand: Bool
    @OrNull var faithful: Bool?
    let sentence: String
    /// Seconds by cause; all together are the duration.
    let shares: [String: Double]
    /// Seconds by phase and component.
    let phases: [String: [String: Double]]
    /// The duration without a component, by component.
    let predictedSeconds: [String: Double]
    let counterfactuals: [CounterfactualJSON]
    /// How much two runs without a change differ.
    @OrNull var noiseSeconds: Double?
    let path: [Stretch]
    let connections: [Connection]
    let requests: [Request]
    let names: [Name]
    let advice: [AdviceJSON]
    let notes: [String]

    /// Makes the object of an explanation.
    public init(_ run: Explanation) {
        capture = run.name
        comment = run.comment
        durationSeconds = run.duration.seconds
        hasTimesOfCommand = run.hasTimesOfCommand
        sentence = run.sentence
        faithful = run.isFaithful
        let sums = run.shares
        shares = Cause.allCases.reduce(into: [:]) {
            $0[$1.rawValue] = (sums[$1] ?? .zero).seconds
        }
        phases = run.total.reduce(into: [:]) {
            $0[$1.key.phase.rawValue, default: [:]][$1.key.component.rawValue, default: 0] +=
                $1.value.seconds
        }
        predictedSeconds = Removal.allCases.reduce(into: [:]) {
            $0[$1.rawValue] = run.prediction(without: $1).seconds
        }
        counterfactuals = run.counterfactuals.map(CounterfactualJSON.init)
        noiseSeconds = run.noise?.seconds
        path = run.path.map(Stretch.init)
        connections = run.connections.map(Connection.init)
        requests = run.requests.map(Request.init)
        names = run.names.map(Name.init)
        advice = run.advice.map(AdviceJSON.init)
        notes = run.notes
    }

    struct CounterfactualJSON: Encodable, Sendable {
        @OrNull var without: String?
        let predictedSeconds: Double
        @OrNull var measuredSeconds: Double?
        @OrNull var problem: String?

        init(_ counterfactual: Counterfactual) {
            predictedSeconds = counterfactual.predicted.seconds
            without = counterfactual.removal?.rawValue
            measuredSeconds = counterfactual.measured?.seconds
            problem = counterfactual.problem
        }
    }

    struct WaitJSON: Encodable, Sendable {
        let cause: String
        let phase: String
        let component: String
        let seconds: Double

        init(_ wait: Wait) {
            cause = wait.kind.cause.rawValue
            phase = wait.kind.phase.rawValue
            component = wait.kind.component.rawValue
            seconds = wait.length.seconds
        }
    }

    struct Stretch: Encodable, Sendable {
        @OrNull var connection: Int?
        @OrNull var request: Int?
        let startSeconds: Double
        let endSeconds: Double
        let waits: [WaitJSON]

        init(_ stretch: Explanation.Stretch) {
            connection = stretch.connection.map { $0 + 1 }
            request = stretch.request.map { $0 + 1 }
            startSeconds = stretch.start.seconds
            endSeconds = stretch.end.seconds
            waits = stretch.waits.map(WaitJSON.init)
        }
    }

    struct Connection: Encodable, Sendable {
        let number: Int
        let kind: String
        let app: String
        let peer: String
        @OrNull var serverName: String?
        @OrNull var subflowOf: Int?
        let startSeconds: Double
        let endSeconds: Double
        @OrNull var handshakeSeconds: Double?
        let packets: Int
        let firstPacket: Int
        let upBytes: Int
        let downBytes: Int
        let requests: Int
        let drops: [String: Int]
        let lostPackets: [Int]
        let fastRetransmissions: Int
        let timeoutRetransmissions: Int
        let retransmittedPackets: [Int]
        let roundTripMilliseconds: RoundTripJSON
        let criticalSeconds: Double
        let critical: [WaitJSON]

        init(_ connection: Explanation.Connection) {
            number = connection.index + 1
            kind = connection.kind.rawValue
            app = "\(connection.near)"
            peer = "\(connection.far)"
            serverName = connection.serverName
            subflowOf = connection.group.flatMap { $0 == connection.index ? nil : $0 + 1 }
            startSeconds = connection.start.seconds
            endSeconds = connection.end.seconds
            handshakeSeconds = connection.handshakeEnd.map { ($0 - connection.start).seconds }
            packets = connection.packets
            firstPacket = connection.firstPacket
            upBytes = connection.upBytes
            downBytes = connection.downBytes
            requests = connection.requests
            drops = connection.drops
            lostPackets = connection.lostPackets.first
            fastRetransmissions = connection.fastRetransmissions.count
            timeoutRetransmissions = connection.timeoutRetransmissions.count
            retransmittedPackets =
                (connection.fastRetransmissions.first + connection.timeoutRetransmissions.first)
                .sorted()
            roundTripMilliseconds = RoundTripJSON(connection.roundTrips)
            criticalSeconds = connection.criticalTime.seconds
            critical = connection.critical.map(WaitJSON.init)
        }
    }

    struct RoundTripJSON: Encodable, Sendable {
        let samples: Int
        @OrNull var minimum: Double?
        @OrNull var mean: Double?
        @OrNull var maximum: Double?

        init(_ roundTrips: RoundTrips) {
            samples = roundTrips.count
            minimum = roundTrips.least?.milliseconds
            mean = roundTrips.mean?.milliseconds
            maximum = roundTrips.most?.milliseconds
        }
    }

    struct Request: Encodable, Sendable {
        let connection: Int
        let number: Int
        let startSeconds: Double
        @OrNull var firstByteSeconds: Double?
        @OrNull var endSeconds: Double?
        @OrNull var method: String?
        @OrNull var target: String?
        @OrNull var status: Int?
        let requestBytes: Int
        let responseBytes: Int
        let firstPacket: Int
        let lastPacket: Int
        let idleSeconds: Double
        let criticalSeconds: Double
        let waits: [WaitJSON]

        init(_ request: Explanation.Request) {
            connection = request.connection + 1
            number = request.index + 1
            startSeconds = request.start.seconds
            firstByteSeconds = request.firstByte?.seconds
            endSeconds = request.end?.seconds
            method = request.method
            target = request.target
            status = request.status
            requestBytes = request.requestBytes
            responseBytes = request.responseBytes
            firstPacket = request.packets.lowerBound
            lastPacket = request.packets.upperBound
            idleSeconds = request.idle.seconds
            criticalSeconds = request.critical.seconds
            waits = request.waits.map(WaitJSON.init)
        }
    }

    struct Name: Encodable, Sendable {
        let name: String
        let type: String
        let questions: Int
        let repetitions: Int
        let packets: [Int]

        init(_ name: NameQueries.Name) {
            self.name = name.name
            type = name.type
            questions = name.questions
            repetitions = name.repetitions
            packets = name.packets.first
        }
    }

    struct AdviceJSON: Encodable, Sendable {
        let topic: String
        let text: String
        let seconds: Double
        let packets: [Int]

        init(_ advice: Advice) {
            topic = advice.topic.rawValue
            text = advice.text
            seconds = advice.time.seconds
            packets = advice.packets
        }
    }
}
