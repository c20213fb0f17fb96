import LinuxKernel
import SystemPackage

/// Maps destinations of the app's traffic to the host.
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

    /// Whether the destination is the host's name resolver.
    func isResolver(_ destination: Endpoint) -> Bool {
        destination.port == Self.dnsPort && network.isGateway(destination.address)
    }

    /// The host endpoints to try for `destination`, in order: both loopbacks, since a server may
    /// listen on either and the app cannot know which; or its name servers.
    func endpoints(for destination: Endpoint) -> [Endpoint] {
        guard network.isGateway(destination.address) else { return [destination] }
        guard destination.port == Self.dnsPort else {
            let loopbacks =
                destination.address.isIPv6
                ? [Self.loopback6, Self.loopback4] : [Self.loopback4, Self.loopback6]
            return loopbacks.map { Endpoint($0, port: destination.port) }
        }
        resolver.refresh()
        // The app's first name server represents the host's first, its second the second.
        let index = network.nameServers.firstIndex(of: destination.address) ?? 0
        return resolver.candidates(from: index)
    }

    /// The address under which the app knows a host endpoint.
    ///
    /// - Parameter gateway: The address that the app uses for the host itself.
    func destination(of endpoint: Endpoint, gateway: IPAddress) -> Endpoint {
        Self.isLoopback(endpoint.address) ? Endpoint(gateway, port: endpoint.port) : endpoint
    }

    /// The same port on the other loopback; nil for endpoints on neither.
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

    /// The number of name servers.
    var serverCount: Int { resolver.servers.count }

    /// The name server to try after this one has failed.
    func server(after failed: Endpoint) -> Endpoint { resolver.successor(of: failed) }

    /// Uses another name server from now on.
    func report(failureOf server: Endpoint) {
        resolver.report(failureOf: server)
    }
}

extension Unreachability {
    /// The ICMP equivalent of `reason`; nil for reasons that a network would not report.
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
