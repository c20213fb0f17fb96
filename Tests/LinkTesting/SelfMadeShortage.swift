import Foundation

/// A command that lacks processor time by its own doing, for which linkcond calls the machine too
/// busy.
public enum SelfMadeShortage {
    /// Whether another processor could have run it.
    public static let isPossible = ProcessInfo.processInfo.activeProcessorCount > 1

    /// Three loops of so many seconds that share a processor though there is another, for `sh`.
    public static func script(seconds: Int) -> String {
        """
        processor=$(sed -n 's/^Cpus_allowed_list:\\t\\([0-9]*\\).*/\\1/p' /proc/self/status)
        for loop in 1 2 3; do
            taskset -c $processor timeout \(seconds) sh -c 'while :; do :; done' &
        done
        wait
        """
    }
}
