import LinuxKernel
import Recording
import SystemPackage

/// Periodically reads how much processor time the processes of a sandbox had and lacked. Those of
/// the first process are the emulation's, which is judged by its lateness.
struct ProcessorWatch {
    private let beginning: Duration
    private var meter: ProcessorMeter
    private var nextTime = ProcessorWatch.interval

    private static let interval = Duration.milliseconds(250)

    /// Begins with the start of the command; nil if this is not wanted.
    init?(since beginning: Duration, isWanted: Bool) {
        guard isWanted else { return nil }
        meter = ProcessorMeter(processors: Processors()?.count ?? 1)
        self.beginning = beginning
    }

    /// Takes a sample if due and returns the time until the next.
    mutating func turn() -> Duration {
        let elapsed = KernelClock.monotonic - beginning
        guard elapsed >= nextTime else { return nextTime - elapsed }
        look(at: elapsed)
        nextTime = elapsed + Self.interval
        return Self.interval
    }

    /// Takes the last sample and returns the result.
    ///
    /// - Parameter networks: The network namespaces of the apps.
    mutating func finish(in networks: [FileDescriptor]) -> ProcessorUse {
        look(at: KernelClock.monotonic - beginning)
        var use = meter.use
        // A run too short to have been looked at has not waited for long either.
        guard use.lackedSeconds > 0 else { return use }
        use.unreadPackets = networks.reduce(0) { $0 + (SocketLosses.count(in: $1) ?? 0) }
        return use
    }

    private mutating func look(at time: Duration) {
        meter.look(ThreadTimes.all(exceptOf: 1), at: time)
    }
}

/// Packets that arrived at sockets without room for them.
enum SocketLosses {
    private static let counters: [String: Set<String>] = [
        "Udp": ["RcvbufErrors"], "TcpExt": ["TCPBacklogDrop", "TCPRcvQDrop"],
    ]

    /// How many a network namespace has counted; nil if it cannot be entered.
    static func count(in network: FileDescriptor) -> UInt64? {
        try? NetworkNamespace.run(inNamespaceAt: "/proc/self/fd/\(network.rawValue)") {
            let files = ["snmp", "netstat", "snmp6"].map {
                HostNames.text(of: "/proc/thread-self/net/\($0)") ?? ""
            }
            return count(pairs: files[0] + files[1]) + count(lines: files[2])
        }
    }

    /// Adds up counters of pairs of lines, the names and the numbers, both after the protocol.
    static func count(pairs text: String) -> UInt64 {
        let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
        return zip(lines, lines.dropFirst()).reduce(0) { sum, pair in
            let (names, numbers) = pair
            guard let first = names.first, first == numbers.first,
                let wanted = counters[String(first.dropLast())]
            else { return sum }
            return zip(names, numbers).reduce(sum) { sum, counter in
                sum + (wanted.contains(String(counter.0)) ? UInt64(counter.1) ?? 0 : 0)
            }
        }
    }

    /// Adds up counters with a line each.
    static func count(lines text: String) -> UInt64 {
        text.split(separator: "\n").reduce(0) { sum, line in
            let words = line.split(whereSeparator: \.isWhitespace)
            guard words.count == 2, words[0] == "Udp6RcvbufErrors" else { return sum }
            return sum + (UInt64(words[1]) ?? 0)
        }
    }
}
