import Synchronization

extension NWParameters {
    /// The protocols of a connection.
    public final class ProtocolStack: Sendable {
        private struct Layers {
            var applications: [any NWProtocolOptions] = []
            var transport: (any NWProtocolOptions)?
            var internet: (any NWProtocolOptions)? = NWProtocolIP.Options()
        }

        private let layers = Mutex(Layers())

        init(
            _ application: (any NWProtocolOptions)? = nil,
            _ transport: (any NWProtocolOptions)? = nil
        ) {
            layers.withLock { layers in
                layers.applications = application.map { [$0] } ?? []
                layers.transport = transport
            }
        }

        /// The protocols above the transport, the highest first. Only TLS is known here.
        public var applicationProtocols: [any NWProtocolOptions] {
            get { layers.withLock { $0.applications } }
            set { layers.withLock { $0.applications = newValue } }
        }
        /// TCP or UDP.
        public var transportProtocol: (any NWProtocolOptions)? {
            get { layers.withLock { $0.transport } }
            set { layers.withLock { $0.transport = newValue } }
        }
        /// IP.
        public var internetProtocol: (any NWProtocolOptions)? {
            get { layers.withLock { $0.internet } }
            set { layers.withLock { $0.internet = newValue } }
        }

        var tls: NWProtocolTLS.Options? {
            applicationProtocols.lazy.compactMap { $0 as? NWProtocolTLS.Options }.first
        }
        var tcp: NWProtocolTCP.Options? { transportProtocol as? NWProtocolTCP.Options }
        var ip: NWProtocolIP.Options.Values {
            (internetProtocol as? NWProtocolIP.Options)?.values ?? .init()
        }
        var isDatagram: Bool { transportProtocol is NWProtocolUDP.Options }
        var isSecure: Bool { tls != nil }

        func copy() -> ProtocolStack {
            let copy = ProtocolStack()
            copy.applicationProtocols = applicationProtocols.map(Self.copy)
            copy.transportProtocol = transportProtocol.map(Self.copy)
            copy.internetProtocol = internetProtocol.map(Self.copy)
            return copy
        }

        private static func copy(_ options: any NWProtocolOptions) -> any NWProtocolOptions {
            switch options {
            case let options as NWProtocolTCP.Options: options.copy()
            case let options as NWProtocolUDP.Options: options.copy()
            case let options as NWProtocolIP.Options: options.copy()
            case let options as NWProtocolTLS.Options: options.copy()
            default: options
            }
        }
    }
}
