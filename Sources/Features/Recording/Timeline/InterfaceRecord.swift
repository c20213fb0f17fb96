public import LinkModel
import LinkUnits

/// What one interface was like while a command ran.
public struct InterfaceRecord: Codable, Sendable, Hashable {
    /// Its name, such as `wifi0`.
    public var name: String
    /// What passed over its link.
    public var samples: [LinkSample]
    /// What its link was to do: each entry holds until the next one. A ramp has many of them.
    public private(set) var conditions: [ConditionStep]
    /// What apps saw of it: each entry holds until the next one.
    public private(set) var states: [PathStep]

    /// Begins a record.
    public init(_ name: String, samples: [LinkSample] = []) {
        self.name = name
        self.samples = samples
        conditions = []
        states = []
    }

    /// Writes down that the link has these conditions from `time` on. Times never go back.
    ///
    /// - Parameter profile: what people call them.
    public mutating func set(
        _ conditions: LinkConditions, profile: String, at time: Duration
    ) {
        let step = ConditionStep(
            seconds: time.seconds, profile: profile, down: .init(conditions.down),
            up: .init(conditions.up))
        self.conditions.append(step, replacing: \.seconds)
    }

    /// Writes down what apps see of the interface from `time` on. Times never go back.
    public mutating func enter(_ state: PathState, at time: Duration) {
        guard states.last?.state != state else { return }
        states.append(PathStep(seconds: time.seconds, state: state), replacing: \.seconds)
    }
}

/// What apps see of an interface.
public struct PathState: Codable, Sendable, Hashable {
    /// Whether the interface is there.
    public var isPresent: Bool
    /// Whether it has a carrier and addresses.
    public var isUp: Bool
    /// Whether it costs money by volume.
    public var isExpensive: Bool
    /// Whether it is in Low Data Mode.
    public var isConstrained: Bool
    /// Whether it comes first in the order of preference.
    public var isPreferred: Bool

    /// Describes a state; without arguments that of an interface that is up and nothing else.
    public init(
        isPresent: Bool = true, isUp: Bool = true, isExpensive: Bool = false,
        isConstrained: Bool = false, isPreferred: Bool = false
    ) {
        self.isPresent = isPresent
        self.isUp = isUp
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
        self.isPreferred = isPreferred
    }
}

/// What apps saw of an interface from a moment on.
public struct PathStep: Codable, Sendable, Hashable {
    /// The moment, counted from the start of the command.
    public var seconds: Double
    /// What they saw.
    public var state: PathState
}

/// What a link was to do from a moment on.
public struct ConditionStep: Codable, Sendable, Hashable {
    /// The moment, counted from the start of the command.
    public var seconds: Double
    /// What people call the conditions.
    public var profile: String
    /// From the network to the app.
    public var down: PlottedConditions
    /// From the app to the network.
    public var up: PlottedConditions
}

/// What a link was to do in one direction, as far as plots show it.
public struct PlottedConditions: Codable, Sendable, Hashable {
    /// The bandwidth; nil: no limit, or a delivery trace's.
    @OrNull public var bitsPerSecond: UInt64?
    /// The file of the delivery trace; nil: none.
    @OrNull public var trace: String?
    /// The one-way delay.
    public var delayMilliseconds: Double
    /// The share of packets that is lost behind the queue.
    public var lossRatio: Double

    init(_ conditions: DirectionConditions) {
        _bitsPerSecond = OrNull(wrappedValue: conditions.bandwidth?.bitsPerSecond)
        _trace = OrNull(wrappedValue: conditions.trace)
        delayMilliseconds = conditions.delay / .milliseconds(1)
        lossRatio = Double(conditions.loss.mean.partsPerBillion) / 1_000_000_000
    }
}

extension Array {
    /// Appends an entry; of two that begin at the same moment the later one holds.
    fileprivate mutating func append(_ entry: Element, replacing moment: KeyPath<Element, Double>) {
        if let last, last[keyPath: moment] >= entry[keyPath: moment] { removeLast() }
        append(entry)
    }
}
