import FoundationEssentials
import Glibc
import LinuxKernel
import NIOCore
import NIOPosix
import NetworkPath

/// Makes the sockets of a connection.
struct Dialer: Sendable {
    private let endpoint: NWEndpoint
    private let parameters: NWParameters
    private let loop: any EventLoop

    init(_ endpoint: NWEndpoint, _ parameters: NWParameters, on loop: any EventLoop) {
        (self.endpoint, self.parameters, self.loop) = (endpoint, parameters, loop)
    }

    /// Connects over an interface; nil for the kernel's routes.
    @Sendable func connect(over interface: NetworkInterface?) -> EventLoopFuture<any Channel> {
        let isDatagram = parameters.defaultProtocolStack.isDatagram
        do {
            if case .unix(let path) = endpoint {
                return try stream(over: nil).connect(to: SocketAddress(unixDomainSocketPath: path))
            }
            guard let target = endpoint.target else { throw NWError.posix(.EINVAL) }
            let (host, port) = (target.host.lookup, Int(target.port.rawValue))
            return try isDatagram
                ? datagrams(over: interface).connect(host: host, port: port)
                : stream(over: interface).connect(host: host, port: port)
        } catch {
            return loop.makeFailedFuture(error)
        }
    }

    private func stream(over interface: NetworkInterface?) throws -> ClientBootstrap {
        let tcp = parameters.defaultProtocolStack.tcp?.values ?? .init()
        // The kernel's own limit is two minutes.
        let timeout = tcp.connectionTimeout > 0 ? tcp.connectionTimeout : 75
        var bootstrap = ClientBootstrap(group: loop)
            .channelOption(.autoRead, value: false)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connectTimeout(.seconds(Int64(timeout)))
            .enableMPTCP(isMultipath)
        for option in SocketSetting.all(of: parameters, interface: interface) {
            bootstrap = bootstrap.channelOption(option.key, value: option.value)
        }
        return try local.map { bootstrap.bind(to: $0) } ?? bootstrap
    }

    private func datagrams(over interface: NetworkInterface?) throws -> DatagramBootstrap {
        var bootstrap = DatagramBootstrap(group: loop).channelOption(.autoRead, value: false)
        for option in SocketSetting.all(of: parameters, interface: interface) {
            bootstrap = bootstrap.channelOption(option.key, value: option.value)
        }
        return bootstrap
    }

    /// Whether connections use Multipath TCP.
    private var isMultipath: Bool {
        if case .unix = endpoint { false } else { parameters.usesMultipath }
    }

    /// The address of this end; nil for any.
    private var local: SocketAddress? {
        get throws {
            if let target = parameters.requiredLocalEndpoint?.target {
                return try SocketAddress(target.host, target.port)
            }
            // An address of one family rules the other out.
            return switch parameters.defaultProtocolStack.ip.version {
            case .any: nil
            case .v4: try SocketAddress(ipAddress: "0.0.0.0", port: 0)
            case .v6: try SocketAddress(ipAddress: "::", port: 0)
            }
        }
    }
}

extension NWParameters {
    /// Whether sockets are those of Multipath TCP. Without the kernel's support they are TCP's.
    var usesMultipath: Bool {
        multipathServiceType != .disabled && (try? MultipathSupport.check()) != nil
    }
}

/// A setting of a socket.
struct SocketSetting: Hashable {
    let key: ChannelOptions.Types.SocketOption
    let value: Int

    private init(_ level: CInt, _ name: CInt, _ value: Int) {
        key = .init(level: .init(rawValue: level), name: .init(rawValue: name))
        self.value = value
    }

    static func == (left: SocketSetting, right: SocketSetting) -> Bool {
        left.key == right.key && left.value == right.value
    }

    func hash(into hasher: inout Hasher) { hasher.combine(value) }

    /// The settings that parameters ask for.
    static func all(
        of parameters: NWParameters, interface: NetworkInterface?
    ) -> [SocketSetting] {
        var settings: [SocketSetting] = []
        if let interface { settings.append(bound(to: Int(interface.index))) }
        if parameters.allowLocalEndpointReuse { settings.append(reuse) }
        let stack = parameters.defaultProtocolStack
        if stack.ip.hopLimit > 0 {
            settings.append(.init(ipLevel, IP_TTL, Int(stack.ip.hopLimit)))
        }
        guard let tcp = stack.tcp?.values else { return settings }
        settings.append(.init(tcpLevel, TCP_NODELAY, tcp.noDelay ? 1 : 0))
        if tcp.enableKeepalive {
            settings.append(.init(SOL_SOCKET, SO_KEEPALIVE, 1))
            settings += [
                (TCP_KEEPIDLE, tcp.keepaliveIdle), (TCP_KEEPINTVL, tcp.keepaliveInterval),
                (TCP_KEEPCNT, tcp.keepaliveCount),
            ].filter { $0.1 > 0 }.map { SocketSetting(tcpLevel, $0.0, $0.1) }
        }
        if tcp.connectionDropTime > 0 {
            // In milliseconds.
            settings.append(.init(tcpLevel, TCP_USER_TIMEOUT, tcp.connectionDropTime * 1000))
        }
        if tcp.maximumSegmentSize > 0 {
            settings.append(.init(tcpLevel, TCP_MAXSEG, tcp.maximumSegmentSize))
        }
        return settings
    }

    static let reuse = SocketSetting(SOL_SOCKET, SO_REUSEADDR, 1)
    /// Only hosts on the networks of this host's interfaces can be reached.
    static let local = SocketSetting(SOL_SOCKET, SO_DONTROUTE, 1)

    /// All packets take this interface. The name of this option (`SO_BINDTOIFINDEX`) is missing in
    /// Glibc's headers.
    static func bound(to index: Int) -> SocketSetting { .init(SOL_SOCKET, 62, index) }

    private static let tcpLevel = CInt(IPPROTO_TCP)
    private static let ipLevel = CInt(IPPROTO_IP)
}
