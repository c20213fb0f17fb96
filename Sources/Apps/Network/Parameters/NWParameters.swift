import Synchronization

/// Which protocols a connection or a listener uses, and which networks.
public final class NWParameters: Sendable, CustomDebugStringConvertible {
    struct Values: Sendable {
        var requiredInterface: NWInterface?
        var requiredInterfaceType = NWInterface.InterfaceType.other
        var prohibitedInterfaces: [NWInterface]?
        var prohibitedInterfaceTypes: [NWInterface.InterfaceType]?
        var prohibitExpensivePaths = false
        var prohibitConstrainedPaths = false
        var multipathServiceType = MultipathServiceType.disabled
        var requiredLocalEndpoint: NWEndpoint?
        var allowLocalEndpointReuse = false
        var acceptLocalOnly = false
        var preferNoProxies = false
        var serviceClass = ServiceClass.bestEffort
        var expiredDNSBehavior = ExpiredDNSBehavior.systemDefault
        var allowFastOpen = false
        var includePeerToPeer = false
    }

    private let state = Mutex(Values())
    /// The protocols.
    public let defaultProtocolStack: ProtocolStack

    /// Makes parameters without protocols, to which the stack is added.
    public init() { defaultProtocolStack = ProtocolStack() }

    /// TCP, with TLS above it unless `tls` is nil.
    public init(tls: NWProtocolTLS.Options?, tcp: NWProtocolTCP.Options = .init()) {
        defaultProtocolStack = ProtocolStack(tls, tcp)
    }

    /// UDP, with DTLS above it unless `dtls` is nil. Connections with DTLS fail with `EOPNOTSUPP`.
    public init(dtls: NWProtocolTLS.Options?, udp: NWProtocolUDP.Options = .init()) {
        defaultProtocolStack = ProtocolStack(dtls, udp)
    }

    private init(copying stack: ProtocolStack) { defaultProtocolStack = stack.copy() }

    /// TCP.
    public static var tcp: NWParameters { NWParameters(tls: nil) }
    /// TLS over TCP.
    public static var tls: NWParameters { NWParameters(tls: .init()) }
    /// UDP.
    public static var udp: NWParameters { NWParameters(dtls: nil) }
    /// DTLS over UDP. Connections with it fail with `EOPNOTSUPP`.
    public static var dtls: NWParameters { NWParameters(dtls: .init()) }

    /// The same parameters, to be changed independently.
    public func copy() -> NWParameters {
        let (copy, values) = (NWParameters(copying: defaultProtocolStack), values)
        copy.state.withLock { $0 = values }
        return copy
    }

    /// One line for people.
    public var debugDescription: String {
        let stack = defaultProtocolStack
        let names = [stack.isSecure ? "tls" : nil, stack.isDatagram ? "udp" : "tcp"]
        return names.compactMap(\.self).joined(separator: ", ")
    }

    var values: Values { state.withLock { $0 } }

    subscript<Value: Sendable>(
        _ field: any WritableKeyPath<Values, Value> & Sendable
    ) -> Value {
        get { state.withLock { $0[keyPath: field] } }
        set { state.withLock { $0[keyPath: field] = newValue } }
    }
}

extension NWParameters {
    /// How a connection uses several networks at the same time.
    public enum MultipathServiceType: Hashable, Sendable {
        /// It uses one.
        case disabled
        /// It moves to another when the first fails.
        case handover
        /// It uses those that answer fastest.
        case interactive
        /// It uses the bandwidth of all.
        case aggregate
    }

    /// The importance of the traffic.
    public enum ServiceClass: Hashable, Sendable {
        /// The default.
        case bestEffort
        /// Traffic that nobody waits for.
        case background
        /// Video that people take part in.
        case interactiveVideo
        /// Voice that people take part in.
        case interactiveVoice
        /// Traffic that somebody waits for.
        case responsiveData
        /// Control traffic of calls.
        case signaling
    }

    /// Whether addresses may be used whose DNS records have expired.
    public enum ExpiredDNSBehavior: Hashable, Sendable {
        /// As the system likes.
        case systemDefault
        /// They may.
        case allow
        /// They may not.
        case prohibit
        /// They may, also after a restart.
        case persistent
    }
}
