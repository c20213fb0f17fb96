import LinuxKernel
import SystemPackage

/// Measures the RTTs of interfaces with echo requests to their gateways, and notices those that
/// silently drop everything.
///
/// The kernel's own estimates do not help: a backup subflow carries no data, so its estimate dates
/// from its setup.
struct EchoRounds {
    /// A measured interface.
    private final class Path {
        let interface: MultipathPlan.Interface
        let socket: EchoSocket
        /// When unanswered requests were sent, by sequence number.
        var open: [UInt16: Duration] = [:]
        var silence = Silence()

        init(_ interface: MultipathPlan.Interface, _ socket: consuming EchoSocket) {
            self.interface = interface
            self.socket = socket
        }
    }

    private var paths: [Path] = []
    private var comparison = DelayComparison()
    private var number: UInt16 = 0
    private var nextRound = Duration.zero

    /// The time between requests of 70 bytes each, a negligible load even for slow links.
    private static let interval = Duration.milliseconds(200)
    /// The time after which an echo is lost. Longer than the RTT of any link usable for calls.
    private static let patience = Duration.seconds(2)

    /// What the echoes say of the interfaces, by their indices.
    struct Verdict: Hashable {
        /// The one with the shortest RTT; nil if not known yet.
        var quickest: Int32?
        /// Those that drop everything.
        var silent: Set<Int32> = []
    }

    /// The file descriptors that become readable when an echo arrives.
    var descriptors: [FileDescriptor] { paths.map { $0.socket.descriptor } }

    /// Measures these interfaces from now on, most preferred first.
    mutating func measure(_ interfaces: [MultipathPlan.Interface]) {
        paths = interfaces.compactMap { interface in
            if let path = paths.first(where: { $0.interface == interface }) { return path }
            guard let gateway = interface.gateways.first,
                let socket = try? EchoSocket(to: gateway, over: interface.index)
            else { return nil }
            return Path(interface, socket)
        }
        comparison.keep(interfaces.map(\.index))
    }

    /// Sends requests if due and returns the time until the next are due.
    mutating func turn() -> Duration {
        let now = KernelClock.monotonic
        guard now >= nextRound else { return nextRound - now }
        nextRound = now + Self.interval
        number &+= 1
        for path in paths {
            for (number, sent) in path.open where now - sent > Self.patience {
                path.open[number] = nil
                comparison.note(DelayComparison.lost, over: path.interface.index)
            }
            // An interface that cannot send counts as one that loses everything.
            try? path.socket.ask(number)
            path.open[number] = now
            path.silence.ask(at: now)
        }
        return Self.interval
    }

    /// Reads the echoes that have arrived.
    mutating func takeEchoes() -> Verdict {
        let now = KernelClock.monotonic
        var verdict = Verdict()
        for path in paths {
            while let number = path.socket.next() {
                guard let sent = path.open.removeValue(forKey: number) else {
                    path.silence.hear(after: Self.patience)
                    continue
                }
                path.silence.hear(after: now - sent)
                comparison.note(now - sent, over: path.interface.index)
            }
            if path.silence.isSilent(at: now) { verdict.silent.insert(path.interface.index) }
        }
        _ = comparison.choose()
        verdict.quickest = comparison.choice
        return verdict
    }
}
