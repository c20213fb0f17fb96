import LinuxKernel
import SystemPackage

/// Measures the round-trip times of interfaces, by echoes of the hosts to which they lead.
///
/// The kernel's own figures would not do: a path in reserve carries nothing, so that its figure is
/// that of the day it was opened.
struct EchoRounds {
    /// An interface that is measured.
    private final class Path {
        let interface: MultipathPlan.Interface
        let socket: EchoSocket
        /// When echoes were asked for that have not come, by their numbers.
        var open: [UInt16: Duration] = [:]

        init(_ interface: MultipathPlan.Interface, _ socket: consuming EchoSocket) {
            self.interface = interface
            self.socket = socket
        }
    }

    private var paths: [Path] = []
    private var comparison = DelayComparison()
    private var number: UInt16 = 0
    private var nextRound = Duration.zero

    /// How often echoes are asked for: 70 bytes each, so that slow links hardly notice.
    private static let interval = Duration.milliseconds(200)
    /// After this an echo is lost. Longer than the round trip of any link that is good for talks.
    private static let patience = Duration.seconds(2)

    /// The interface with the shortest round trip; nil if nobody knows yet.
    var quickest: Int32? { comparison.choice }

    /// What becomes readable when an echo comes.
    var descriptors: [FileDescriptor] { paths.map { $0.socket.descriptor } }

    /// Measures these interfaces from now on, the most preferred first.
    mutating func measure(_ interfaces: [MultipathPlan.Interface]) {
        paths = interfaces.compactMap { interface in
            if let path = paths.first(where: { $0.interface == interface }) { return path }
            guard let gateway = interface.gateway,
                let socket = try? EchoSocket(to: gateway, over: interface.index)
            else { return nil }
            return Path(interface, socket)
        }
        comparison.keep(interfaces.map(\.index))
    }

    /// Asks for echoes, if it is time, and says in how long it is time again.
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
            // An interface that cannot send is as slow as one that loses everything.
            try? path.socket.ask(number)
            path.open[number] = now
        }
        return Self.interval
    }

    /// Takes the echoes that have come, and returns whether another interface is quicker now.
    mutating func takeEchoes() -> Bool {
        let now = KernelClock.monotonic
        for path in paths {
            while let number = path.socket.next() {
                guard let sent = path.open.removeValue(forKey: number) else { continue }
                comparison.note(now - sent, over: path.interface.index)
            }
        }
        return comparison.choose()
    }
}
