import LinkModel
import LinuxKernel

/// A packet on its way over the link, with what was waited for until it was sent.
final class Transit {
    let packet: CapturedPacket
    let direction: Direction
    let conversation: Conversation
    /// What was waited for until it was sent; empty until that is known.
    var path: CriticalPath
    /// Whose time it takes.
    var owner = CriticalPath.Owner.app
    /// What the connection does with it.
    var phase = Phase.exchange
    /// What it asks a name server, or what that answers.
    private(set) lazy var question = DNSMessage(packet.payload)
    /// The way of the packet that it acknowledges, and the wait until it was sent.
    var echo: Echo?

    /// A path with waits that get their phase when it is known what waited for them.
    struct Echo {
        var path: CriticalPath
        var components: [(component: Component, length: Duration)]
        /// When they end.
        var end: Duration

        mutating func add(_ component: Component, until time: Duration) {
            guard time > end else { return }
            components.append((component, time - end))
            end = time
        }

        /// The path with all of it in `phase`.
        func path(in phase: Phase, of owner: CriticalPath.Owner) -> CriticalPath {
            path.extended(
                by: components.map { component, length in
                    Wait(kind: WaitKind(component, in: phase), length: length)
                }, of: owner)
        }
    }

    init(_ packet: CapturedPacket, _ direction: Direction, of conversation: Conversation) {
        self.packet = packet
        self.direction = direction
        self.conversation = conversation
        path = CriticalPath(from: packet.sent)
    }

    /// Whether it opens a connection.
    var isSYN: Bool {
        if case .tcp(let header) = packet.transport { header.isSYN } else { false }
    }

    /// What was waited for until it arrives, from `start` in its transmission on.
    ///
    /// A packet in the queue waits for the transmission of those before it. Where those are of its
    /// own connection, the bandwidth is what was waited for since the first of them; the time behind
    /// packets of others is queueing.
    ///
    /// - Parameter previous: The end of the transmission of the connection's previous packet.
    func arrive(behind previous: Progress?) -> Arrival {
        let fate = packet.fate
        let queueing = fate.queueing ?? .zero
        let transmission = min(fate.transmission ?? .zero, max(.zero, fate.delay - queueing))
        let start = packet.sent + min(queueing, fate.delay)
        var base = path
        if let previous, previous.time >= packet.sent, previous.time <= start + Self.precision {
            base = previous.path
        }
        var echo = Echo(path: base, components: [], end: base.end)
        echo.add(.queueing, until: start)
        echo.add(.serialization, until: start + transmission)
        let transmitted = echo.path(in: phase, of: owner)
        echo.add(.propagation, until: packet.sent + fate.delay)
        echo.add(.lateness, until: packet.sent + fate.passage)
        return Arrival(
            time: packet.sent + fate.passage, path: echo.path(in: phase, of: owner), echo: echo,
            transmitted: Progress(time: start + transmission, path: transmitted))
    }

    /// Captures have times to the microsecond.
    private static let precision = Duration.microseconds(3)
}

/// A packet at the far end of its way.
struct Arrival {
    var time: Duration
    var path: CriticalPath
    /// The same without a phase.
    var echo: Transit.Echo
    /// The end of its transmission.
    var transmitted: Progress

    var progress: Progress { Progress(time: time, path: path) }
}

/// What was waited for until something came about.
struct Progress {
    var time: Duration
    var path: CriticalPath
}
