import LinuxKernel
import SystemPackage

/// Where the app's traffic goes on the host.
final class HostMapping {
    let network: FarNetwork
    private var resolver: HostResolver
    private static let dnsPort: UInt16 = 53
    private static let loopback4 = IPAddress(ipv4: 0x7f00_0001)
    private static let loopback6 = IPAddress(ipv6High: 0, low: 1)

    init(_ network: FarNetwork, _ resolver: HostResolver) {
        self.network = network
        self.resolver = resolver
    }

    /// Whether the app asks the host to resolve a name.
    func isResolver(_ destination: Endpoint) -> Bool {
        destination.port == Self.dnsPort && network.isGateway(destination.address)
    }

    /// The host's ends for `destination`, to be tried in this order: both loopbacks, since a
    /// server may listen on one of them, and the app cannot know on which; its name servers.
    func endpoints(for destination: Endpoint) -> [Endpoint] {
        guard network.isGateway(destination.address) else { return [destination] }
        guard destination.port == Self.dnsPort else {
            let loopbacks =
                destination.address.isIPv6
                ? [Self.loopback6, Self.loopback4] : [Self.loopback4, Self.loopback6]
            return loopbacks.map { Endpoint($0, port: destination.port) }
        }
        // The app's first name server is the host's first, its second the second.
        let index = network.nameServers.firstIndex(of: destination.address) ?? 0
        return resolver.candidates(from: index)
    }

    /// How the app knows a host's end.
    ///
    /// - Parameter gateway: by which address the app calls the host itself.
    func destination(of endpoint: Endpoint, gateway: IPAddress) -> Endpoint {
        Self.isLoopback(endpoint.address) ? Endpoint(gateway, port: endpoint.port) : endpoint
    }

    /// The same port of the host's other loopback; nil for ends that are on neither.
    func otherLoopback(of endpoint: Endpoint) -> Endpoint? {
        switch endpoint.address {
        case Self.loopback4: Endpoint(Self.loopback6, port: endpoint.port)
        case Self.loopback6: Endpoint(Self.loopback4, port: endpoint.port)
        default: nil
        }
    }

    private static func isLoopback(_ address: IPAddress) -> Bool {
        address.isIPv6 ? address == loopback6 : address.masked(to: 8) == loopback4.masked(to: 8)
    }

    /// How many name servers there are.
    var serverCount: Int { resolver.servers.count }

    /// The name server to ask when this one has failed.
    func server(after failed: Endpoint) -> Endpoint { resolver.successor(of: failed) }

    /// Asks another name server from now on.
    func report(failureOf server: Endpoint) {
        resolver.report(failureOf: server)
    }
}

extension Unreachability {
    /// What ICMP says of `reason`; nil for reasons that a network would keep to itself.
    init?(_ reason: Errno) {
        switch reason {
        case .networkUnreachable, .addressNotAvailable, .addressFamilyNotSupported,
            .invalidArgument:
            self = .network
        case .noRouteToHost, .hostIsDown: self = .host
        case .permissionDenied, .notPermitted: self = .prohibited
        default: return nil
        }
    }
}
