import LinuxKernel

/// The kernel's network state at one moment, limited to what the path depends on.
struct NetworkSnapshot: Hashable, Sendable {
    /// An interface.
    struct Device: Hashable, Sendable {
        var name: String
        var index: Int32
        /// The kind according to the kernel.
        var kind: NetworkInterface.Kind
        /// Whether it can send packets.
        var isRunning: Bool
        /// Whether it waits for a login or for dialling.
        var isDormant = false
        /// The mark of the sandbox and the override combined.
        var mark: NetworkMark?
        /// The addresses that are valid beyond the link.
        var addresses: [IPAddress] = []
    }

    /// A default route, or one that covers nearly everything.
    struct DefaultRoute: Hashable, Sendable {
        var isIPv6: Bool
        /// The prefix length; longer prefixes win.
        var prefixLength: UInt8 = 0
        /// The destination network; nil for everything.
        var destination: IPAddress?
        /// Among routes with the same prefix length, the lowest metric wins.
        var metric: UInt32
        var hops: [Hop]
    }

    /// A next hop of a route.
    struct Hop: Hashable, Sendable {
        var interface: Int32
        var gateway: IPAddress?
    }

    var devices: [Device]
    /// In the kernel's lookup order; metrics decide where it leaves the order open.
    var routes: [DefaultRoute]
    var hasNameServer: Bool
}

extension NetworkSnapshot {
    /// The path that follows from the state.
    var path: NetworkPath {
        let routes = usableRoutes
        var order: [Int32] = []
        for hop in routes.flatMap(\.hops) where !order.contains(hop.interface) {
            order.append(hop.interface)
        }
        let used = [false, true].compactMap { isIPv6 in routes.first { $0.isIPv6 == isIPv6 } }
            .flatMap(\.hops).map(\.interface)
        let interfaces = sorted(by: order).map { interface($0, routes) }
        let inUse = interfaces.filter { used.contains($0.index) }
        // Traffic goes to the portal, even if another interface leads further.
        let isCaptive = inUse.contains(where: \.isCaptive)
        return NetworkPath(
            interfaces: interfaces, interfacesInUse: isCaptive ? [] : inUse,
            gateways: gateways(routes), supportsDNS: hasNameServer,
            isWaiting: isCaptive || devices.contains { $0.isDormant })
    }

    /// The routes that packets can take, most preferred first.
    private var usableRoutes: [DefaultRoute] {
        let running = Dictionary(
            devices.filter { $0.isRunning && $0.kind != .loopback }.map { ($0.index, $0) },
            uniquingKeysWith: { first, _ in first })
        let usable = routes.compactMap { route -> DefaultRoute? in
            var route = route
            route.hops = route.hops.filter { hop in
                running[hop.interface].map { hasAddress($0, isIPv6: route.isIPv6) } ?? false
            }
            return route.hops.isEmpty || !leadsEverywhere(route) ? nil : route
        }
        // A longer prefix wins over a shorter one, whatever the metrics are.
        return usable.enumerated().sorted { left, right in
            let keys = [left, right].map { entry in
                (
                    -Int(entry.element.prefixLength), entry.element.metric,
                    entry.element.isIPv6 ? 1 : 0, entry.offset
                )
            }
            return keys[0] < keys[1]
        }.map(\.element)
    }

    /// Whether a route is a default route or replaces one: VPNs leave the default route alone and
    /// add two routes, each for half of all addresses.
    private func leadsEverywhere(_ route: DefaultRoute) -> Bool {
        guard route.prefixLength > 0 else { return true }
        if route.isIPv6, route.prefixLength == 3 {
            // 2000::/3 contains all addresses of the Internet.
            return route.destination?.bytes[0] == 0x20
        }
        guard route.prefixLength == 1 else { return false }
        return routes.contains { other in
            other.prefixLength == 1 && other.isIPv6 == route.isIPv6
                && other.destination != route.destination
                && other.hops.map(\.interface) == route.hops.map(\.interface)
        }
    }

    /// Whether packets have a source address: one of the interface or of the host itself.
    private func hasAddress(_ device: Device, isIPv6: Bool) -> Bool {
        devices.contains { owner in
            (owner.index == device.index || owner.kind == .loopback)
                && owner.addresses.contains { $0.isIPv6 == isIPv6 && !$0.isLoopback }
        }
    }

    /// Those of `order` first, then the others, the loopback last.
    private func sorted(by order: [Int32]) -> [Device] {
        devices.sorted { left, right in
            let keys = [left, right].map { device in
                (
                    order.firstIndex(of: device.index) ?? Int.max,
                    device.kind == .loopback ? 1 : 0, device.index
                )
            }
            return keys[0] < keys[1]
        }
    }

    private func interface(_ device: Device, _ routes: [DefaultRoute]) -> NetworkInterface {
        let mark = device.mark ?? NetworkMark()
        let kind = mark.kind(insteadOf: device.kind)
        let families = routes.filter { $0.hops.contains { $0.interface == device.index } }
        return NetworkInterface(
            name: device.name, index: device.index, kind: kind,
            isExpensive: mark.makesExpensive(kind), isConstrained: mark.makesConstrained,
            isCaptive: mark.isCaptive, isUp: device.isRunning,
            supportsIPv4: families.contains { !$0.isIPv6 },
            supportsIPv6: families.contains(where: \.isIPv6),
            addresses: device.addresses.map(\.description))
    }

    private func gateways(_ routes: [DefaultRoute]) -> [NetworkPath.Gateway] {
        var gateways: [NetworkPath.Gateway] = []
        for hop in routes.flatMap(\.hops) {
            guard let address = hop.gateway,
                let device = devices.first(where: { $0.index == hop.interface })
            else { continue }
            let gateway = NetworkPath.Gateway(
                address: address.description, interface: device.name)
            if !gateways.contains(gateway) { gateways.append(gateway) }
        }
        return gateways
    }
}
