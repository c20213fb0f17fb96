/// What a command asked of the network while its path was constrained (Low Data Mode).
public struct ConstrainedUse: Codable, Sendable, Hashable {
    /// For how long the path was constrained.
    public var seconds: Double
    /// Packets with which the command opened a connection, sent data or asked for an echo.
    public var requests: UInt64

    /// States what was seen.
    public init(seconds: Double, requests: UInt64) {
        self.seconds = seconds
        self.requests = requests
    }
}

/// Adds up what a command asks of the network while its path is constrained, from looks at both
/// that follow each other at short distances.
///
/// What comes between the last look at which the path was constrained and the first at which it
/// was not is not counted: the command may have heard of the change before.
public struct ConstrainedMeter: Sendable {
    /// How long a command has to stop what it does when its path becomes constrained. Until then
    /// nothing is counted.
    public static let patience = Duration.seconds(1)

    private var use: ConstrainedUse?
    /// Since when the path is constrained; nil: it is not.
    private var beginning: Duration?
    /// When counting begins.
    private var countingFrom = Duration.zero
    /// What had been asked at the last look that counted; nil: none counted yet.
    private var counted: UInt64?

    /// Begins with the start of the command, which knows from the start what its path is like.
    public init(isConstrained: Bool, requests: UInt64) {
        guard isConstrained else { return }
        begin(at: .zero, countingFrom: .zero)
        counted = requests
    }

    /// Takes a look.
    ///
    /// - Parameters:
    ///   - requests: what the command has asked by now; to be looked at before the path.
    ///   - time: counted from the start of the command.
    public mutating func look(isConstrained: Bool, requests: UInt64, at time: Duration) {
        guard isConstrained else {
            if let beginning { use?.seconds += (time - beginning).seconds }
            (beginning, counted) = (nil, nil)
            return
        }
        if beginning == nil { begin(at: time, countingFrom: time + Self.patience) }
        guard time >= countingFrom else { return }
        if let counted { use?.requests += requests - counted }
        counted = requests
    }

    /// What was asked until `time`, after the last look; nil if the path never was constrained.
    public func result(at time: Duration) -> ConstrainedUse? {
        guard let beginning else { return use }
        var result = use
        result?.seconds += (time - beginning).seconds
        return result
    }

    private mutating func begin(at time: Duration, countingFrom: Duration) {
        use = use ?? ConstrainedUse(seconds: 0, requests: 0)
        beginning = time
        self.countingFrom = countingFrom
    }
}
