import LinkUnits

extension PlayedEvent {
    /// The log line: `12.003 s  wifi0: down (7.2 ms late)`.
    public var line: String {
        let late =
            lateness > Punctuality.tolerance
            ? " (\(lateness.rounded(to: .microseconds(100)).unitText) late)" : ""
        return Self.line(of: sentence + late, at: time)
    }

    /// The log line of something that happened at a time since the start.
    public static func line(of text: String, at time: Duration) -> String {
        let milliseconds = Int((time / .milliseconds(1)).rounded())
        let decimals = String(1000 + milliseconds % 1000).dropFirst()
        return "\(milliseconds / 1000).\(decimals) s  \(text)"
    }

    /// What failed and where: `scenario.yaml:27: expected isConstrained == true; was false`.
    ///
    /// - Parameter origin: The path of the file, or the name of a built-in scenario.
    public func complaint(origin: String) -> String {
        let place = lineNumber.map { "\(origin):\($0)" } ?? origin
        return "\(place): \(sentence)"
    }
}

/// How punctually a timeline was played.
public struct Punctuality: Sendable, Hashable {
    /// Lateness above this is reported.
    public static let tolerance = Duration.milliseconds(5)

    /// The number of events that began too late, regardless of their own duration.
    private var count = 0
    private var greatest = Duration.zero

    /// Makes an empty record.
    public init() {}

    /// Records an event.
    public mutating func add(_ event: PlayedEvent) {
        let delay = event.lateness - event.effort
        guard delay > Self.tolerance else { return }
        count += 1
        greatest = max(greatest, delay)
    }

    /// A note for the user; nil if nothing was late.
    public var note: String? {
        guard count > 0 else { return nil }
        return "\(count) \(count == 1 ? "event was" : "events were") more than "
            + "\(Self.tolerance.unitText) late, at most "
            + "\(greatest.rounded(to: .microseconds(100)).unitText); the machine is too busy"
    }
}

extension Duration {
    /// The nearest multiple of `unit`.
    fileprivate func rounded(to unit: Duration) -> Duration {
        unit * Int((self / unit).rounded())
    }
}
