public import LinkModel
import LinkUnits

/// One interface over the run of a command.
public struct InterfaceRecord: Codable, Sendable, Hashable {
    /// Its name, such as `wifi0`.
    public var name: String
    /// The traffic on its link.
    public var samples: [LinkSample]
    /// The conditions of its link: each entry holds until the next one. A ramp has many.
    public private(set) var conditions: [ConditionStep] = []
    /// What apps saw of it: each entry holds until the next one.
    public private(set) var states: [PathStep] = []

    /// Makes an empty record.
    public init(_ name: String, samples: [LinkSample] = []) {
        self.name = name
        self.samples = samples
    }

    /// Records the link's conditions from `time` on. Times must not decrease.
    ///
    /// - Parameter profile: Their display name.
    public mutating func set(
        _ conditions: LinkConditions, profile: String, at time: Duration
    ) {
        let step = ConditionStep(
            seconds: time.seconds, profile: profile, down: .init(conditions.down),
            up: .init(conditions.up))
        self.conditions.append(step, replacing: \.seconds)
    }

    /// Records what apps see of the interface from `time` on. Times must not decrease.
    public mutating func enter(_ state: PathState, at time: Duration) {
        guard states.last?.state != state else { return }
        states.append(PathStep(seconds: time.seconds, state: state), replacing: \.seconds)
    }
}

/// What apps see of an interface.
public struct PathState: Codable, Sendable, Hashable {
    /// Whether the interface exists.
    public var isPresent: Bool
    /// Whether it has a carrier and addresses.
    public var isUp: Bool
    /// Whether it costs money by volume.
    public var isExpensive: Bool
    /// Whether it is in Low Data Mode.
    public var isConstrained: Bool
    /// Whether it is first in the order of preference.
    public var isPreferred: Bool

    /// Makes a state; without arguments, that of an interface that is up and nothing else.
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

/// What apps saw of an interface from a time on.
public struct PathStep: Codable, Sendable, Hashable {
    /// The time since the start of the command.
    public var seconds: Double
    /// What they saw.
    public var state: PathState
}

/// The conditions of a link from a time on.
public struct ConditionStep: Codable, Sendable, Hashable {
    /// The time since the start of the command.
    public var seconds: Double
    /// The display name of the conditions.
    public var profile: String
    /// From the network to the app.
    public var down: PlottedConditions
    /// From the app to the network.
    public var up: PlottedConditions
}

/// The conditions of one direction, as far as plots show them.
public struct PlottedConditions: Codable, Sendable, Hashable {
    /// The bandwidth; nil: no limit, or a delivery trace.
    @OrNull public var bitsPerSecond: UInt64?
    /// The path of the delivery trace; nil: none.
    @OrNull public var trace: String?
    /// The one-way delay.
    public var delayMilliseconds: Double
    /// The share of packets lost after the queue.
    public var lossRatio: Double

    init(_ conditions: DirectionConditions) {
        _bitsPerSecond = OrNull(wrappedValue: conditions.bandwidth?.bitsPerSecond)
        _trace = OrNull(wrappedValue: conditions.trace)
        delayMilliseconds = conditions.delay / .milliseconds(1)
        lossRatio = Double(conditions.loss.mean.partsPerBillion) / 1_000_000_000
    }
}

extension Array {
    /// Appends an entry; it replaces one with the same time.
    fileprivate mutating func append(_ entry: Element, replacing moment: KeyPath<Element, Double>) {
        if let last, last[keyPath: moment] >= entry[keyPath: moment] { removeLast() }
        append(entry)
    }
}
