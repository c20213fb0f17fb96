import Foundation
import FoundationNetworking
import NetworkPath

/// Which networks a task may use.
struct AccessRules: Hashable, Sendable {
    let requirements: NetworkRequirements
    /// Whether the task talks to this host, without any network.
    let isLocal: Bool

    init(_ configuration: NetworkSession.Configuration, _ request: NetworkRequest) {
        let allowsCellular = request.allowsCellularAccess ?? configuration.allowsCellularAccess
        let allowsExpensive =
            request.allowsExpensiveNetworkAccess ?? configuration.allowsExpensiveNetworkAccess
        let allowsConstrained =
            request.allowsConstrainedNetworkAccess ?? configuration.allowsConstrainedNetworkAccess
        requirements = NetworkRequirements(
            prohibitsExpensive: !allowsExpensive, prohibitsConstrained: !allowsConstrained,
            prohibitedInterfaceKinds: allowsCellular ? [] : [.cellular])
        isLocal = (request.urlRequest.url?.host?.lowercased()).map(Self.isLoopback) ?? false
    }

    /// Why `path` is prohibited; nil if it is not, or if there is no path: the attempt will tell.
    func prohibition(of path: NetworkPath) -> URLError.NetworkUnavailableReason? {
        guard !isLocal, requirements != .none else { return nil }
        guard path.interfacesInUse.isEmpty else {
            return Self.reason(path.reasonsUnsatisfied(by: requirements))
        }
        // Without a default route, hosts on the interfaces' own networks are still reachable.
        let reasons = path.interfaces.filter { $0.isUp && $0.kind != .loopback }
            .map { Self.reason(requirements.reasonsAgainst($0)) }
        return reasons.contains(nil) ? nil : reasons.first ?? nil
    }

    private static func reason(
        _ reasons: [NetworkPath.UnsatisfiedReason]
    ) -> URLError.NetworkUnavailableReason? {
        if reasons.contains(.prohibited(.cellular)) { return .cellular }
        if reasons.contains(.expensive) { return .expensive }
        return reasons.contains(.constrained) ? .constrained : nil
    }

    private static func isLoopback(_ host: String) -> Bool {
        let bytes = host.split(separator: ".", omittingEmptySubsequences: false)
            .map { UInt8($0) }
        return host == "localhost" || host.hasSuffix(".localhost") || host == "::1"
            || host == "[::1]" || bytes.count == 4 && bytes[0] == 127 && !bytes.contains(nil)
    }
}
