import Foundation
import LinkTesting
import Testing

/// A gateway with devices that ask for addresses by DHCP, choose addresses of IPv6, and look at the
/// page with curl.
@Suite("Gateway", .requiresDataPlane, .tags(.anyKernel), .enabled(if: hasGatewayPrograms))
struct GatewayTests {
    struct List: Decodable {
        struct Device: Decodable {
            let name: String?
            let hardwareAddress: String
            let addresses: [String]
            let present: Bool
            let profile: String
            let by: String
            let until: String?
            let expensive: Bool
            let problem: String?
        }

        let devices: [Device]
    }

    private static func devices(_ lab: GatewayLab) throws -> [List.Device] {
        let text = try lab.linkcond("gateway devices --json")
        return try JSONDecoder().decode(List.self, from: Data(text.utf8)).devices
    }

    static func device(_ number: Int, _ lab: GatewayLab) throws -> List.Device? {
        try devices(lab).first { $0.name == "device\(number)" }
    }

    @Test func `devices have their networks over both families, and the host is restored`()
        async throws
    {
        let lab = try GatewayLab(devices: 3)
        let before = try await lab.settledState()
        let process = try lab.start("--device device1=LTE --device 02:00:00:00:00:02=3G")
        // The page of a device that has conditions has none.
        for number in 1...3 { try lab.join(number) }
        try await eventually("all devices have both families") {
            let devices = try Self.devices(lab)
            return devices.count == 3 && devices.allSatisfy { $0.addresses.count >= 2 }
        }
        try await JSONSchema("gateway-devices").expectValid(
            lab.linkcond("gateway devices --json"))
        let found = try Self.devices(lab)
        #expect(found.map(\.profile) == ["apple/LTE", "apple/3G", "none"])
        #expect(found.map(\.by) == ["settings", "settings", "default"])
        #expect(found.map(\.expensive) == [true, true, false])
        // A busy machine is one.
        #expect(found.compactMap(\.problem).allSatisfy { $0.contains("too busy") }, "\(found)")
        for address in [GatewayLab.server4, GatewayLab.server6] {
            #expect(try (115...175).contains(lab.roundTrip(1, to: address)), "\(address)")
            #expect(try (200...300).contains(lab.roundTrip(2, to: address)), "\(address)")
            #expect(try lab.roundTrip(3, to: address) < 60, "\(address)")
        }
        // Names: of the gateway, and of the devices.
        let resolver = "dig +short +time=2 @192.168.77.1"
        #expect(
            try lab.devices[2].shell("\(resolver) linkcond.box").contains("192.168.77.1"))
        #expect(
            try lab.devices[2].shell("\(resolver) device1.linkcond.box")
                .contains(found[0].addresses[0]))

        try await lab.end(process)
        let changes = try lab.changes(since: before)
        #expect(changes == [])
    }

    @Test func `a device looks at its page and chooses, and no other's form serves`() async throws {
        let lab = try GatewayLab(devices: 2)
        try lab.start("--default 100%-loss")
        for number in 1...2 { try lab.join(number) }
        try await eventually("the default is there") {
            try lab.pings(1, count: 1).isEmpty && Self.devices(lab).count == 2
        }
        let resolve = "--resolve linkcond.box:80:192.168.77.1"
        let page = "curl -sS -m 10 \(resolve) http://linkcond.box/"
        // It passes, though nothing else does.
        let text = try lab.devices[0].shell(page)
        #expect(text.contains("<h2>device1</h2>"))
        #expect(text.contains("apple/100%-Loss"))
        let token = try #require(text.firstMatch(of: /name="token" value="([a-z0-9]+)"/)?.1)
        let option = try #require(text.firstMatch(of: /value="([0-9]+)"[^>]*>apple\/3G</)?.1)
        func post(_ number: Int, device: Int = 1, _ more: String = "") throws -> String {
            try lab.devices[number - 1].shell(
                """
                curl -sS -m 10 -o /dev/null -w '%{http_code}' \(resolve) \(more) \\
                    -d 'token=\(token)&device=02:00:00:00:00:0\(device)&profile=\(option)&minutes=10' \\
                    http://linkcond.box/profile
                """)
        }
        #expect(try post(2) == "403")
        #expect(try post(1, device: 2) == "403")
        #expect(try post(1, "-H 'Origin: http://evil.example'") == "403")
        #expect(try post(1, "-H 'Host: evil.example'") == "421")
        #expect(try Self.device(1, lab)?.by == "default")
        #expect(try post(1) == "303")
        #expect(try (200...300).contains(lab.roundTrip(1)))
        #expect(try Self.device(1, lab)?.by == "page")
        #expect(try Self.device(1, lab)?.until != nil)
        #expect(try Self.device(2, lab)?.by == "default")
        #expect(try lab.devices[0].shell(page).contains("for 10 min"))
        // An administrator's choice is not changed by the device.
        _ = try lab.linkcond("gateway set device1 LTE")
        #expect(try post(1) == "409")
        #expect(try (115...175).contains(lab.roundTrip(1)))
        _ = try lab.linkcond("gateway set device1 auto")
        #expect(try lab.pings(1, count: 1).isEmpty)
        // Neither a slow nor a silent visitor keeps others out.
        try lab.devices[1].shell(
            """
            for number in $(seq 40); do
                (printf 'GET / HTTP/1.1\\r\\n'; sleep 5) | busybox nc 192.168.77.1 80 >/dev/null 2>&1 &
            done
            sleep 0.5
            """)
        #expect(try lab.devices[0].shell(page).contains("<h2>device1</h2>"))
    }

    @Test func `a choice ends on time, and a device keeps its network at another address`()
        async throws
    {
        let lab = try GatewayLab(devices: 1)
        try lab.start("--device device1=LTE")
        try lab.join(1)
        try await eventually("the device is known") { try Self.device(1, lab) != nil }
        _ = try lab.linkcond("gateway set device1 3G --for 15s")
        #expect(try (200...300).contains(lab.roundTrip(1, count: 3)))
        try await eventually("3G ends") { try Self.device(1, lab)?.by == "settings" }
        #expect(try (115...175).contains(lab.roundTrip(1, count: 3)))

        let first = try #require(try Self.device(1, lab)?.addresses.first)
        try lab.devices[0].shell(
            "ip address flush dev eth0; ip link set eth0 down; ip link set eth0 up")
        // As another client it gets another address.
        let lease = try lab.join(1, "-x 0x3d:00010203")
        let second = lease.split(separator: " ").first.map(String.init)
        #expect(second != first)
        try await eventually("the new address is known") {
            try Self.device(1, lab)?.addresses.first == second
        }
        #expect(try (115...175).contains(lab.roundTrip(1)))
        // Its conditions follow it to an address that it takes by itself, too.
        try lab.devices[0].shell(
            """
            ip address flush dev eth0
            ip address add 192.168.77.7/24 dev eth0
            ip route replace default via 192.168.77.1
            ping -c 1 -W 5 192.168.77.1
            """)
        try await eventually("the address that it took is known") {
            try Self.device(1, lab)?.addresses.contains("192.168.77.7") == true
        }
        #expect(try (115...175).contains(lab.roundTrip(1)))
    }

    @Test func `a firewall of the host is told of, with commands that open it`() async throws {
        let lab = try GatewayLab(devices: 1)
        let process = try lab.start()
        try lab.router.shell(
            """
            nft -f - <<'END'
            table inet strict {
                chain in { type filter hook input priority filter; policy drop; iif lo accept; }
                chain through { type filter hook forward priority filter; policy drop; }
            }
            END
            """)
        func complaint(of what: String) throws -> Substring? {
            lab.log.split(separator: "\n")
                .last { $0.contains("this host's firewall drops \(what)") }
        }
        /// Does what the gateway says.
        func obey(_ what: String) async throws {
            try await eventually("the gateway says that the firewall drops \(what)") {
                try complaint(of: what) != nil
            }
            let line = try #require(try complaint(of: what))
            let commands = try #require(line.split(separator: "allow it: ").last)
            #expect(line.contains("none of the last "))
            try lab.router.shell("set -e; \(commands.replacing("sudo ", with: ""))")
        }
        #expect(throws: (any Error).self) { try lab.join(1) }
        try await obey("devices' requests for addresses (DHCP) by IPv4")
        try lab.join(1)
        for _ in 0..<3 { #expect(try lab.pings(1, count: 1, within: 1).isEmpty) }
        try await obey("what devices send to the outside by IPv4")
        #expect(try lab.pings(1, count: 1).count == 1)
        #expect(try complaint(of: "devices' queries") == nil, "nobody has asked for names")
        #expect(
            try complaint(of: "what the outside answers") == nil, "the commands open both ways")
        try await lab.end(process)
    }

    /// As with OpenVPN's `redirect-gateway def1`.
    @Test func `a VPN of the host that takes the way out is told of`() async throws {
        let lab = try GatewayLab(devices: 1)
        let process = try lab.start()
        try lab.join(1)
        try lab.router.shell(
            """
            set -e
            ip tuntap add vpn0 mode tun
            ip link set vpn0 up
            ip route add 0.0.0.0/1 dev vpn0
            ip route add 128.0.0.0/1 dev vpn0
            """)
        let told = "vpn0 leads to the Internet by IPv4, and not wan0: "
        try await eventually("the gateway says so") { lab.log.contains(told) }
        #expect(!lab.log.contains("IPv6, and not"), "the other family is as it was")
        try lab.router.shell("ip link delete vpn0")
        try await eventually("the gateway says that it is over") {
            lab.log.contains("wan0 leads to the Internet by IPv4 again")
        }
        #expect(try !lab.pings(1).isEmpty)
        try await lab.end(process)
    }

    @Test func `delay of DNS is that of the device's queries`() async throws {
        let lab = try GatewayLab(devices: 1)
        try lab.start("--default 'High Latency DNS'")
        try lab.join(1)
        // It is listed as soon as it has an address of IPv6, and what it says by IPv4 is delayed later.
        try await eventually("the default is there") {
            try Self.device(1, lab)?.addresses.first?.hasPrefix("192.168.77.") == true
        }
        // Milliseconds dig reads from a clock that stands still for as long as four of them.
        let text = try lab.devices[0].shell("dig -u +tries=3 +time=20 @192.168.77.1 linkcond.box")
        let time = try #require(text.firstMatch(of: /Query time: ([0-9]+) usec/)?.1)
        #expect(try #require(Int(time)) >= 3_000_000)
        #expect(try lab.roundTrip(1) < 60)
    }

    @Test func `a schedule and its end are kept, and Android is told of the cost`() async throws {
        let lab = try GatewayLab(devices: 2)
        let minute = Calendar.current.component(.minute, from: Date())
        let hour = Calendar.current.component(.hour, from: Date())
        func time(_ offset: Int) -> String {
            let total = (hour * 60 + minute + offset + 1440) % 1440
            return String(format: "%02d:%02d", total / 60, total % 60)
        }
        let file = try lab.write(
            """
            default: none
            profiles: [3G]
            devices:
              device1:
                profile: LTE
                schedule:
                  - { from: "\(time(-60))", until: "\(time(60))", profile: 3G }
              device2:
                profile: LTE
                schedule:
                  - { from: "\(time(60))", until: "\(time(120))", profile: 3G }
            """, to: "gateway.yaml")
        try lab.start("--file \(file)")
        // ANDROID_METERED in hexadecimal digits.
        let metered = "ANDROID_METERED".utf8.map { String(format: "%02x", $0) }.joined()
        for number in 1...2 {
            #expect(try lab.join(number).lowercased().contains(metered))
        }
        try await eventually("both are known") { try Self.devices(lab).count == 2 }
        #expect(try Self.devices(lab).map(\.by) == ["schedule", "settings"])
        #expect(try (200...300).contains(lab.roundTrip(1)))
        #expect(try (115...175).contains(lab.roundTrip(2)))
        _ = try lab.linkcond("gateway set device1 none")
        try await eventually("the device is told of the end") {
            // dnsmasq may be starting.
            let lease = (try? lab.join(1)) ?? metered
            return !lease.lowercased().contains(metered)
        }
    }
}

/// Those that a `GatewayLab` and its devices need.
var hasGatewayPrograms: Bool {
    hasPrograms("dnsmasq", "nft", "busybox", "curl", "dig")
}
