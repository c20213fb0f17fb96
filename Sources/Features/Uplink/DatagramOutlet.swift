import LinuxKernel
import SystemPackage

/// A socket of the host by which datagrams of the app leave and answers come.
final class DatagramOutlet {
    /// What leaves by it.
    enum Use: Hashable {
        /// All UDP of a port of the app to hosts of one family, wherever it goes.
        case port(of: Endpoint, isIPv6: Bool)
        /// Questions to the name server that the app knows by this address.
        case questions(of: Endpoint, to: Endpoint)
        /// Echo requests to one host; the app's end has their identifier for its port.
        case echoes(of: Endpoint, to: IPAddress)

        /// The app's end.
        var app: Endpoint {
            switch self {
            case .port(let app, _), .questions(let app, _), .echoes(let app, _): app
            }
        }

        /// How long it may be idle. A port is kept as a NAT should do it (RFC 4787, REQ-5).
        var idleLimit: Duration {
            switch self {
            case .port: .seconds(300)
            case .questions: .seconds(12)
            case .echoes: .seconds(60)
            }
        }
    }

    /// A question that has not been answered.
    struct Question {
        let payload: [UInt8]
        /// How many of the host's name servers have failed to answer it.
        var failures = 0
    }

    let use: Use
    let socket: DatagramSocket
    var token: UInt64 = 0
    var lastUse: Duration
    /// The address by which the app has last called the host.
    var gateway: IPAddress?
    /// Ports of the host that have nobody on the loopback of the app's family.
    var crossedPorts: Set<UInt16> = []
    /// The last datagram to the host's loopback and where it went.
    var lastToLoopback: (payload: [UInt8], destination: Endpoint)?
    /// The host's name server that is asked.
    let server: Endpoint?
    var question: Question?

    init(
        _ use: Use, _ socket: consuming DatagramSocket, asking server: Endpoint?, at now: Duration
    ) {
        self.use = use
        self.socket = socket
        self.server = server
        lastUse = now
    }
}
