import Foundation
import DataPlane
import LinkModel
import LinkTesting
import LinuxKernel
import Testing

@testable import Gateway

@Suite("The network behind a gateway", .tags(.unit))
struct GatewayNetworkTests {
    private static func network(_ address: String) throws -> GatewayNetwork {
        try GatewayNetwork(inner: "lan0", uplink: "wan0", address: address)
    }

    @Test(arguments: [
        ("192.168.77.1/24", "192.168.77.2", "192.168.77.254", "255.255.255.0"),
        ("10.0.255.254/16", "10.0.0.1", "10.0.255.253", "255.255.0.0"),
        ("10.1.2.10/29", "10.1.2.11", "10.1.2.14", "255.255.255.248"),
        ("10.1.2.13/29", "10.1.2.9", "10.1.2.12", "255.255.255.248"),
    ])
    func `devices get the larger part beside the gateway`(
        text: String, first: String, last: String, mask: String
    ) throws {
        let network = try Self.network(text)
        #expect("\(network.pool.first)" == first)
        #expect("\(network.pool.last)" == last)
        #expect("\(network.mask)" == mask)
    }

    @Test(arguments: [
        "192.168.77.1", "192.168.77.0/24", "192.168.77.255/24", "fd00::1/64", "192.168.77.1/30",
        "192.168.77.1/8", "192.168.77.1/x", "127.0.0.1/24", "224.0.0.1/24", "0.0.0.1/24", "",
    ])
    func `an address that does not serve is refused`(text: String) {
        #expect(throws: GatewayError.self) { try Self.network(text) }
    }

    @Test func `both interfaces have to differ`() {
        let error = #expect(throws: GatewayError.self) {
            try GatewayNetwork(inner: "eth0", uplink: "eth0", address: "192.168.77.1/24")
        }
        #expect(error?.status == .usage)
    }

    @Test(arguments: [
        ("192.168.0.0", 16, true), ("192.168.77.128", 25, true), ("192.168.78.0", 24, false),
        ("10.0.0.0", 8, false), ("fd00::", 8, false),
    ])
    func `networks that share addresses are found`(
        text: String, length: UInt8, overlaps: Bool
    ) throws {
        let address = try #require(IPAddress(text))
        #expect(
            try Self.network("192.168.77.1/24").overlaps(address, prefixLength: length) == overlaps)
    }

    @Test func `the network of IPv6 belongs to the interface, and is a local one`() throws {
        let first = GatewayNetwork.uniqueLocalAddress(behind: [2, 0, 0, 0, 0, 1])
        let second = GatewayNetwork.uniqueLocalAddress(behind: [2, 0, 0, 0, 0, 2])
        #expect(first != second)
        #expect(first == GatewayNetwork.uniqueLocalAddress(behind: [2, 0, 0, 0, 0, 1]))
        #expect(first.high >> 56 == 0xfd)
        #expect(first.high & 0xffff == 0)
        #expect(first.low == 1)
    }

    @Test func `the rules let devices out and nobody in`() throws {
        var network = try Self.network("192.168.77.1/24")
        network.address6 = IPAddress("fd12:3456:789a::1")
        try Golden("rules.nft").expect(
            GatewayRules.text(network, guardsUplink: true, guardsAll6: true))
        network.address6 = nil
        let plain = GatewayRules.text(network, guardsUplink: false, guardsAll6: false)
        #expect(!plain.contains("ip6"))
        #expect(!plain.contains("iifname \"wan0\" oifname !="))
    }

    @Test func `dnsmasq's configuration serves both families, or one`() throws {
        var network = try Self.network("192.168.77.1/24")
        network.address6 = IPAddress("fd12:3456:789a::1")
        var configuration = DNSMasqConfiguration(
            network: network, files: .init(directory: "/run/linkcond-gateway-1"),
            user: "dnsmasq")
        try Golden("dnsmasq.conf").expect(configuration.text)
        configuration.network.address6 = nil
        configuration.servers = [try #require(IPAddress("192.0.2.53"))]
        #expect(!configuration.text.contains("enable-ra"))
        #expect(configuration.text.contains("no-resolv\nserver=192.0.2.53\n"))
    }

    @Test func `a Wi-Fi network's name may have any character`() throws {
        let wireless = try WirelessNetwork(name: "Käse \"1\"\nx", passphrase: "12345678")
        try Golden("hostapd.conf").expect(wireless.hostapd(on: "wlan0"))
        for (name, passphrase) in [
            ("", "12345678"), (String(repeating: "x", count: 33), "12345678"), ("x", "1234567"),
            ("x", String(repeating: "1", count: 64)), ("x", "12345678\n"), ("x", nil),
        ] {
            #expect(throws: GatewayError.self) {
                try WirelessNetwork(name: name, passphrase: passphrase)
            }
        }
    }

    @Test func `what a device needs passes beside its conditions`() throws {
        let network = try Self.network("192.168.77.1/24")
        let address = try #require(IPAddress("192.168.77.20"))
        let selector = try GatewayConditions.selector(for: [address], in: network)
        #expect(
            selector.text
                == "to=192.168.77.20;from-port=67,protocol=udp;from=192.168.77.1,from-port=80,protocol=tcp"
        )
    }

    @Test func `files of namespaces that are gone are nobody's`() {
        let files = ["gateway-5", "gateway-6", "gateway-6.hostapd", "gateway-", "watcher", "lock"]
        #expect(GatewayJournal.orphans(among: files, alive: ["5"]) == ["gateway-6"])
        #expect(GatewayJournal.orphans(among: files, alive: nil) == [])
    }

    @Test func `files of gateways in another PID namespace are left alone`() throws {
        var journal = GatewayJournal(interface: 2, name: "lan0", directory: "/run/none")
        #expect(GatewayJournal.isFromHere(Array(try JSONEncoder().encode(journal))))
        journal.processes = "pid:[1]"
        #expect(!GatewayJournal.isFromHere(Array(try JSONEncoder().encode(journal))))
        // Of a version that did not know.
        journal.processes = nil
        #expect(GatewayJournal.isFromHere(Array(try JSONEncoder().encode(journal))))
        #expect(GatewayJournal.isFromHere(nil))
    }
}
