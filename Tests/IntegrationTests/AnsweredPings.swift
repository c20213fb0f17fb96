/// Which of many pings were answered.
///
/// ping is told how many answers to wait for, not how many requests to send. Otherwise it would wait
/// only two round trips for the last ones, which a busy machine may take longer for.
enum AnsweredPings {
    static let count = 200

    /// The command that asks until it has so many answers, in order.
    static func command(to address: String) -> [String] {
        ["ping", "-n", "-c", "\(count)", "-i", "0.002", "-w", "30", address]
    }

    /// The numbers of the requests that were answered.
    static func numbers(in output: String) -> [Substring] {
        output.matches(of: /icmp_seq=([0-9]+)/).map(\.1)
    }
}
