/// How runs are repeated for which the machine was too busy.
public enum Repetition {
    private static let shortestPause = Duration.milliseconds(500)
    private static let mostDoublings = 4

    /// How long to leave the machine alone before an attempt.
    ///
    /// Other work often comes in bursts of seconds, which attempts at once would all meet.
    ///
    /// - Parameter attempt: Its number; the first, 1, has no pause.
    public static func pause(before attempt: Int) -> Duration {
        guard attempt > 1 else { return .zero }
        return shortestPause * (1 << min(attempt - 2, mostDoublings))
    }
}
