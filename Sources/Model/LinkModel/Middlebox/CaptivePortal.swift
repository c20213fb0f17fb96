import LinkUnits

/// Holds an app back until somebody agrees to something on a page, as networks of hotels and trains
/// do.
public struct CaptivePortal: Sendable, Hashable, Codable {
    /// How long after the app has met it somebody clicks; nil: only a click on its page opens it.
    public var until: Duration?

    /// Makes a portal.
    public init(until: Duration? = nil) { self.until = until }

    /// How a profile writes that only a click opens it.
    public static let click = "click"

    /// How a profile writes it.
    var text: String { "{ until: \(until?.unitText ?? Self.click) }" }

    /// What is wrong with it.
    var problem: ConditionProblem? {
        guard let until, !Self.times.contains(until) else { return nil }
        return ConditionProblem(
            field: "until",
            explanation: "\(until.unitText) is outside 1 s to 1 day"
                + (until == .zero ? "; leave captive-portal out if nothing holds the app back" : "")
        )
    }

    private static let times = Duration.seconds(1)...Duration.seconds(86_400)
}
