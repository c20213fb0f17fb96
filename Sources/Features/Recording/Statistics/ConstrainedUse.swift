/// A command's network use while its path was constrained (Low Data Mode).
public struct ConstrainedUse: Codable, Sendable, Hashable {
    /// How long the path was constrained.
    public var seconds: Double
    /// Packets with which the command opened a connection, sent data or requested an echo.
    public var requests: UInt64

    /// Makes a result.
    public init(seconds: Double, requests: UInt64) {
        self.seconds = seconds
        self.requests = requests
    }
}

/// Counts a command's network use while its path is constrained, from frequent samples of both.
///
/// Use between the last sample with a constrained path and the first without is not counted: the
/// command may have learned of the change earlier.
public struct ConstrainedMeter: Sendable {
    /// How long a command has to stop its network use after its path becomes constrained. Use is
    /// not counted until then.
    public static let patience = Duration.seconds(1)

    private var use: ConstrainedUse?
    /// When the path became constrained; nil: it is not.
    private var beginning: Duration?
    /// When counting begins.
    private var countingFrom = Duration.zero
    /// The count at the last sample that counted; nil: none yet.
    private var counted: UInt64?

    /// Begins with the start of the command, which knows the state of its path from the start.
    public init(isConstrained: Bool, requests: UInt64) {
        guard isConstrained else { return }
        begin(at: .zero, countingFrom: .zero)
        counted = requests
    }

    /// Adds a sample.
    ///
    /// - Parameters:
    ///   - requests: The command's requests so far; read this before the path.
    ///   - time: The time since the start of the command.
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

    /// The result at `time`, after the last sample; nil if the path was never constrained.
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
