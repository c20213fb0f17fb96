import LinkModel
import LinuxKernel
import Netlink

/// Checks the interfaces of a gateway before anything is changed.
struct GatewayInterfaces {
    let inner: Link
    let uplink: Link
    /// Whether the uplink has an address of IPv6 that reaches beyond its link.
    let hasIPv6: Bool

    /// Where NetworkManager keeps what it knows of interfaces, by their indexes.
    private static let managed = "/run/NetworkManager/devices"

    /// - Parameter isMadeHere: whether hostapd is started, which gives the interface its carrier.
    init(_ network: GatewayNetwork, carrierComesLater: Bool) throws {
        let session = try NetlinkSession()
        let links = try session.links()
        func link(_ name: String, _ option: String) throws(GatewayError) -> Link {
            guard let link = links.first(where: { $0.name == name }) else {
                let names = links.filter { !$0.isOwn }.map(\.name).sorted()
                throw GatewayError(
                    "\(option) \(name): no such interface (have: \(names.joined(separator: ", ")))",
                    status: .usage)
            }
            return link
        }
        inner = try link(network.inner, "-i")
        uplink = try link(network.uplink, "--uplink")
        guard inner.hasEthernetHeader, !inner.isLoopback, !inner.isOwn else {
            throw GatewayError(
                "-i \(inner.name): devices need an Ethernet, a Wi-Fi or a bridge, and this is none",
                status: .usage)
        }
        guard !uplink.isLoopback else {
            throw GatewayError(
                "--uplink \(uplink.name): leads nowhere but to this host; name the interface with "
                    + "the default route", status: .usage)
        }
        guard uplink.isUp else {
            throw GatewayError(
                "\(uplink.name): the uplink is down; bring it up with: ip link set "
                    + "\(ShellWord(uplink.name)) up")
        }
        // Of an interface that is down nothing can be known yet.
        guard carrierComesLater || !inner.isUp || inner.isRunning else {
            throw GatewayError(
                "\(inner.name): has no carrier; plug in a cable, or for Wi-Fi give --wifi NAME and "
                    + "--passphrase, so that linkcond starts hostapd")
        }
        guard !Self.isManaged(inner) else {
            throw GatewayError(
                "\(inner.name): NetworkManager manages it and would take its address away; first: "
                    + "nmcli device set \(ShellWord(inner.name)) managed no")
        }
        try Self.check(network, inner, try session.routes(), links)
        let index = uplink.index
        hasIPv6 = try session.interfaceAddresses().contains {
            $0.interface == index && $0.address.isIPv6 && !$0.isLinkLocal
        }
    }

    private static func isManaged(_ link: Link) -> Bool {
        guard let text = try? SmallFile.read("\(managed)/\(link.index)") else { return false }
        return text.split(separator: "\n").contains {
            ["managed=true", "managed=full"].contains($0)
        }
    }

    private static func check(
        _ network: GatewayNetwork, _ inner: Link, _ routes: [Route], _ links: [Link]
    ) throws(GatewayError) {
        for route in routes where !route.isDefault && route.interface != inner.index {
            guard let destination = route.destination,
                network.overlaps(destination, prefixLength: route.prefixLength)
            else { continue }
            let name = links.first { $0.index == route.interface }?.name ?? "another interface"
            throw GatewayError(
                "--address \(network.address)/\(network.prefixLength): \(name) leads to "
                    + "\(destination)/\(route.prefixLength) already; choose another network, such "
                    + "as --address 10.77.0.1/24", status: .usage)
        }
    }
}
