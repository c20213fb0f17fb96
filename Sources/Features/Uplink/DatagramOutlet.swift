import LinuxKernel
import SystemPackage

/// A host socket through which the app's datagrams leave and answers arrive.
final class DatagramOutlet {
    /// The traffic of an outlet.
    enum Use: Hashable {
        /// All UDP from one port of the app to hosts of one family, whatever the destination.
        case port(of: Endpoint, isIPv6: Bool)
        /// DNS queries to the name server that the app knows by this address.
        case questions(of: Endpoint, to: Endpoint)
        /// Echo requests to one host; the app's endpoint has their identifier as its port.
        case echoes(of: Endpoint, to: IPAddress)

        /// The app's endpoint.
        var app: Endpoint {
            switch self {
            case .port(let app, _), .questions(let app, _), .echoes(let app, _): app
            }
        }

        /// How long it may be idle. UDP ports are kept as long as a NAT should keep them (RFC 4787,
        /// REQ-5).
        var idleLimit: Duration {
            switch self {
            case .port: .seconds(300)
            case .questions: .seconds(12)
            case .echoes: .seconds(60)
            }
        }
    }

    /// An unanswered DNS query.
    struct Question {
        let payload: [UInt8]
        /// How many of the host's name servers have failed to answer it.
        var failures = 0
    }

    let use: Use
    let socket: DatagramSocket
    var token: UInt64 = 0
    var lastUse: Duration
    /// The address of the host that the app used last.
    var gateway: IPAddress?
    /// Ports of the host that are closed on the loopback of the app's family.
    var crossedPorts: Set<UInt16> = []
    /// The last datagrams to the host's loopback since it answered last, the latest last.
    private var unanswered: [(payload: [UInt8], destination: Endpoint)] = []
    private var unansweredBytes = 0
    /// More than comes at once until a refusal of the first is read.
    private static let unansweredLimit = 128 << 10
    /// The memory of a datagram in addition to its bytes.
    private static let overhead = 128
    /// Whether the kernel takes several of its datagrams at once.
    var takesTrains = true
    /// The host's name server in use.
    let server: Endpoint?
    var question: Question?
    /// The last echo requests, the latest last.
    private var echoes: [RequestPacket] = []
    /// More than are under way when the first error arrives, at the usual one a second.
    private static let keptEchoes = 16

    init(
        _ use: Use, _ socket: consuming DatagramSocket, asking server: Endpoint?, at now: Duration
    ) {
        self.use = use
        self.socket = socket
        self.server = server
        lastUse = now
    }

    /// Whether it sends to hosts of the family of which the app's address is.
    var isOfAppsFamily: Bool {
        guard case .port(let app, let isIPv6) = use else { return true }
        return isIPv6 == app.address.isIPv6
    }

    /// Keeps datagrams that were sent to the host's loopback.
    func addUnanswered(_ payloads: [[UInt8]], to destination: Endpoint) {
        for payload in payloads {
            unanswered.append((payload, destination))
            unansweredBytes += payload.count + Self.overhead
        }
        guard unansweredBytes > Self.unansweredLimit else { return }
        // Half of them at once, since removing from the front moves all others.
        unanswered.removeFirst(unanswered.count / 2)
        countUnanswered()
    }

    /// Removes the kept datagrams to an endpoint, and returns them in their order.
    func takeUnanswered(to destination: Endpoint) -> [[UInt8]] {
        let found = unanswered.filter { $0.destination == destination }.map(\.payload)
        forgetUnanswered(to: destination)
        return found
    }

    /// Removes the kept datagrams to an endpoint, because it exists.
    func forgetUnanswered(to destination: Endpoint) {
        guard !unanswered.isEmpty else { return }
        unanswered.removeAll { $0.destination == destination }
        countUnanswered()
    }

    /// Keeps an echo request that was sent.
    func add(echo request: RequestPacket) {
        if echoes.count == Self.keptEchoes { echoes.removeFirst() }
        echoes.append(request)
    }

    /// The kept echo request of which an error quotes the ICMP message as it was sent, which differs
    /// in its identifier; nil if it is too old.
    func echo(quotedBy message: [UInt8]) -> RequestPacket? {
        let number = message.dropFirst(6).prefix(2)
        return echoes.last { $0.message.dropFirst(6).prefix(2).elementsEqual(number) }
    }

    private func countUnanswered() {
        unansweredBytes = unanswered.reduce(0) { $0 + $1.payload.count + Self.overhead }
    }
}
