import LinuxKernel

/// What the kernel says of a network at one moment, as far as the path depends on it.
struct NetworkSnapshot: Hashable, Sendable {
    /// An interface.
    struct Device: Hashable, Sendable {
        var name: String
        var index: Int32
        /// What the kernel says it is.
        var kind: NetworkInterface.Kind
        /// Whether packets go out.
        var isRunning: Bool
        /// Whether it waits for somebody to log in or to dial.
        var isDormant = false
        /// What a sandbox and an override say of it.
        var mark: NetworkMark?
        /// Those that mean something beyond the link.
        var addresses: [IPAddress] = []
    }

    /// A route to everywhere, or to nearly everywhere.
    struct DefaultRoute: Hashable, Sendable {
        var isIPv6: Bool
        /// The bits that have to match: routes of more go first.
        var prefixLength: UInt8 = 0
        /// The network; nil for everywhere.
        var destination: IPAddress?
        /// Of routes with as many bits, the lower ones go first.
        var metric: UInt32
        var hops: [Hop]
    }

    /// Where a route leads next.
    struct Hop: Hashable, Sendable {
        var interface: Int32
        var gateway: IPAddress?
    }

    var devices: [Device]
    /// In the order in which the kernel looks them up, as far as the metrics leave it open.
    var routes: [DefaultRoute]
    var hasNameServer: Bool
}

extension NetworkSnapshot {
    /// The path that these add up to.
    var path: NetworkPath {
        let routes = usableRoutes
        var order: [Int32] = []
        for hop in routes.flatMap(\.hops) where !order.contains(hop.interface) {
            order.append(hop.interface)
        }
        let used = [false, true].compactMap { isIPv6 in routes.first { $0.isIPv6 == isIPv6 } }
            .flatMap(\.hops).map(\.interface)
        let interfaces = sorted(by: order).map { interface($0, routes) }
        return NetworkPath(
            interfaces: interfaces,
            interfacesInUse: interfaces.filter { used.contains($0.index) },
            gateways: gateways(routes), supportsDNS: hasNameServer,
            isWaiting: devices.contains { $0.isDormant })
    }

    /// Ways that packets can take, the most preferred first.
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
        // A route of more bits goes before any of fewer, whatever the metrics are.
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

    /// Whether a route is a default route, or one of those that stand in for it: VPNs leave the
    /// default route alone and make two routes, each to one half of all addresses.
    private func leadsEverywhere(_ route: DefaultRoute) -> Bool {
        guard route.prefixLength > 0 else { return true }
        if route.isIPv6, route.prefixLength == 3 {
            // 2000::/3 has all addresses of the Internet.
            return route.destination?.bytes[0] == 0x20
        }
        guard route.prefixLength == 1 else { return false }
        return routes.contains { other in
            other.prefixLength == 1 && other.isIPv6 == route.isIPv6
                && other.destination != route.destination
                && other.hops.map(\.interface) == route.hops.map(\.interface)
        }
    }

    /// Whether packets have a sender: an address of the interface, or one of the host itself.
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
            isUp: device.isRunning, supportsIPv4: families.contains { !$0.isIPv6 },
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

extension IPAddress {
    /// Whether it is one of the loopback's own, which no packet that leaves may bear.
    fileprivate var isLoopback: Bool {
        isIPv6 ? high == 0 && low == 1 : bytes.first == 127
    }
}
