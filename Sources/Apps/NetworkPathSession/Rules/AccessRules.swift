import Foundation
import FoundationNetworking
import LinuxKernel
import NetworkPath

/// Which networks a task may use for one request. A redirect leads to another request.
struct AccessRules: Hashable, Sendable {
    let requirements: NetworkRequirements
    /// Whether the task talks to this host, without any network.
    let isLocal: Bool
    /// How it uses several networks at the same time.
    let multipath: NetworkSession.MultipathServiceType

    init(_ configuration: NetworkSession.Configuration, _ request: NetworkRequest) {
        let allowsCellular = request.allowsCellularAccess ?? configuration.allowsCellularAccess
        let allowsExpensive =
            request.allowsExpensiveNetworkAccess ?? configuration.allowsExpensiveNetworkAccess
        let allowsConstrained =
            request.allowsConstrainedNetworkAccess ?? configuration.allowsConstrainedNetworkAccess
        requirements = NetworkRequirements(
            prohibitsExpensive: !allowsExpensive, prohibitsConstrained: !allowsConstrained,
            prohibitedInterfaceKinds: allowsCellular ? [] : [.cellular])
        isLocal = request.urlRequest.url?.host.map(LocalHost.contains) ?? false
        multipath = configuration.multipathServiceType
    }

    /// Whether the task may use `interface`.
    func permits(_ interface: NetworkInterface) -> Bool {
        requirements.reasonsAgainst(interface).isEmpty
    }

    /// Why no interface of `path` may be used; nil if one may, or if none is up: the attempt will
    /// tell.
    func prohibition(of path: NetworkPath) -> URLError.NetworkUnavailableReason? {
        guard !isLocal else { return nil }
        // Without a default route, hosts on the interfaces' own networks are still reachable.
        let up = path.interfaces.filter { $0.isUp && $0.kind != .loopback }
        return up.contains(where: permits) ? nil : up.first.flatMap(prohibition)
    }

    /// Why the task may not use `interface`; nil if it may.
    func prohibition(of interface: NetworkInterface) -> URLError.NetworkUnavailableReason? {
        let reasons = requirements.reasonsAgainst(interface)
        if reasons.contains(.prohibited(.cellular)) { return .cellular }
        if reasons.contains(.expensive) { return .expensive }
        return reasons.contains(.constrained) ? .constrained : nil
    }

    /// Why a connection from `local` to `remote`, as the kernel would route it, may not be made;
    /// nil if it may.
    func prohibition(
        from local: IPAddress, scope: UInt32 = 0, to remote: IPAddress, on path: NetworkPath
    ) -> URLError.NetworkUnavailableReason? {
        // Traffic to this host's own addresses uses no network.
        guard !isLocal, local != remote, !remote.isLoopback else { return nil }
        return path.interface(withAddress: local, scope: scope).flatMap(prohibition)
    }
}

extension NetworkPath {
    /// The interface that has an address; nil if none has. `scope` is the index of the interface of
    /// a link-local address.
    func interface(withAddress address: IPAddress, scope: UInt32 = 0) -> NetworkInterface? {
        guard scope == 0 else { return interfaces.first { $0.index == Int32(scope) } }
        let text = address.description
        return interfaces.first { $0.addresses.contains(text) }
    }
}
