import NetworkPath

/// A network interface.
public struct NWInterface: Hashable, Sendable, CustomDebugStringConvertible {
    /// The kind of an interface.
    public enum InterfaceType: Hashable, Sendable {
        /// A tunnel, or an unknown kind.
        case other
        /// Wi-Fi.
        case wifi
        /// A mobile network.
        case cellular
        /// Ethernet, or its equivalent in a container.
        case wiredEthernet
        /// The loopback.
        case loopback
    }

    /// The name, such as `eth0`.
    public let name: String
    /// The index that identifies it in its network namespace.
    public let index: Int
    /// The kind.
    public let type: InterfaceType

    /// The name.
    public var debugDescription: String { name }

    init(_ interface: NetworkInterface) {
        name = interface.name
        index = Int(interface.index)
        type = InterfaceType(interface.kind)
    }

    /// The interface of this host with this name or index; nil if there is none.
    static func named(_ name: String) -> NWInterface? {
        (try? NetworkPath.current())?.interfaces
            .first { $0.name == name || "\($0.index)" == name }.map(NWInterface.init)
    }
}

extension NWInterface.InterfaceType {
    init(_ kind: NetworkInterface.Kind) {
        self =
            switch kind {
            case .wifi: .wifi
            case .cellular: .cellular
            case .wired: .wiredEthernet
            case .loopback: .loopback
            case .other: .other
            }
    }

    var kind: NetworkInterface.Kind {
        switch self {
        case .wifi: .wifi
        case .cellular: .cellular
        case .wiredEthernet: .wired
        case .loopback: .loopback
        case .other: .other
        }
    }
}
