public import LinuxKernel
public import Netlink
public import Scenarios

/// Plans the kernel's endpoints so that Multipath TCP uses an app's interfaces in a given mode.
/// Pure.
public enum MultipathPlan {
    /// An interface with a default route.
    public struct Interface: Sendable, Hashable {
        /// Its index.
        public let index: Int32
        /// Its name.
        public let name: String
        /// Its addresses usable as source addresses.
        public let addresses: [IPAddress]
        /// Its gateways, that of IPv4 first.
        public let gateways: [IPAddress]
    }

    /// A change of the kernel's endpoints.
    public enum Step: Sendable, Hashable {
        /// Adds an endpoint: every connection gets a subflow from there.
        case add(MultipathEndpoint)
        /// Makes an endpoint a backup, or a regular endpoint again.
        case setBackup(MultipathEndpoint)
        /// Deletes an endpoint and with it its subflows.
        case delete(MultipathEndpoint)
    }

    /// The endpoints for `interfaces`, most preferred first.
    ///
    /// - Parameter quickest: The interface that `interactive` uses; nil: the first.
    public static func endpoints(
        _ mode: MultipathMode, _ interfaces: [Interface], quickest: Int32? = nil
    ) -> [MultipathEndpoint] {
        guard mode != .off else { return [] }
        let first = interfaces.first?.index
        let carrier: Int32? =
            switch mode {
            case .interactive: interfaces.first { $0.index == quickest }?.index ?? first
            default: first
            }
        let endpoints = interfaces.flatMap { interface in
            interface.addresses.map { address in
                MultipathEndpoint(
                    address: address, interface: interface.index,
                    isBackup: mode != .aggregate && interface.index != carrier)
            }
        }
        // Drops those of the least preferred interfaces.
        return Array(endpoints.prefix(Int(MultipathManager.limit)))
    }

    /// The steps from the kernel's current endpoints to the desired ones.
    ///
    /// Endpoints that will carry traffic come first, so that a connection always has one.
    public static func steps(
        from present: [MultipathEndpoint], to wanted: [MultipathEndpoint]
    ) -> [Step] {
        func counterpart(
            _ endpoint: MultipathEndpoint, in others: [MultipathEndpoint]
        ) -> MultipathEndpoint? {
            others.first {
                $0.address == endpoint.address && $0.interface == endpoint.interface
            }
        }
        let changed = present.compactMap { endpoint -> MultipathEndpoint? in
            guard var changed = counterpart(endpoint, in: wanted),
                changed.isBackup != endpoint.isBackup
            else { return nil }
            changed.id = endpoint.id
            return changed
        }
        let carriersFirst = changed.filter { !$0.isBackup } + changed.filter(\.isBackup)
        let gone = present.filter { counterpart($0, in: wanted) == nil }
        let new = wanted.filter { counterpart($0, in: present) == nil }
        return carriersFirst.map { .setBackup($0) } + gone.map { .delete($0) }
            + new.map { .add($0) }
    }
}
