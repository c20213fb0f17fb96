import LinkModel
import LinkTesting
import LinkUnits
import ProfileFormat
import Scenarios
import Testing

@Suite("What stands in the middle, as files say it", .tags(.unit)) struct MiddleboxTests {
    private static func profile(_ middle: String) throws -> Profile {
        try ProfileReader.profile(from: "name: A\nmiddle:\n  \(middle)\n", file: "a.yaml")
    }

    @Test(arguments: [
        (
            "firewall: { block: [udp, tcp/22], answer: reset }",
            Middlebox(
                firewall: Firewall(
                    block: [TrafficKind(.udp), TrafficKind(.tcp, firstPort: 22)], answer: .reset))
        ),
        (
            "firewall: { allow: [tcp/80, udp/8000-8100, icmp], timeout: { tcp: 5 min } }",
            Middlebox(
                firewall: Firewall(
                    allow: [
                        TrafficKind(.tcp, firstPort: 80),
                        TrafficKind(.udp, firstPort: 8000, lastPort: 8100), TrafficKind(.icmp),
                    ], tcpTimeout: .seconds(300)))
        ),
        (
            "nat: { kind: symmetric, timeout: { udp: 30 s, tcp: 5 min }, rebind: every 5 s, "
                + "hairpin: true, table: 100 }",
            Middlebox(
                nat: [
                    AddressTranslation(
                        kind: .symmetric, udpTimeout: .seconds(30), tcpTimeout: .seconds(300),
                        rebind: .seconds(5), hairpin: true, table: 100)
                ])
        ),
        (
            "nat: [{ kind: full-cone }, { kind: port-restricted }]",
            Middlebox(
                nat: [
                    AddressTranslation(kind: .fullCone), AddressTranslation(kind: .portRestricted),
                ])
        ),
        ("mss: 1360", Middlebox(mss: 1360)),
        ("family: ipv4", Middlebox(family: .ipv4)),
        ("family: nat64", Middlebox(family: .nat64)),
        ("dns: down", Middlebox(dns: .down)),
        ("captive-portal: { until: click }", Middlebox(captivePortal: CaptivePortal())),
        (
            "captive-portal: { until: 20 s }",
            Middlebox(captivePortal: CaptivePortal(until: .seconds(20)))
        ),
        (
            "dns: { servfail: 10%, nxdomain: [ads.example, \"*.Tracker.example.\"], delay: 2 s }",
            Middlebox(
                dns: Resolver(
                    servfail: .percent(10),
                    nxdomain: ["ads.example", "*.tracker.example"].compactMap(
                        NamePattern.init(parsing:)), delay: .seconds(2)))
        ),
        (
            "dns: { wrong-answer: { address: 203.0.113.7 } }",
            Middlebox(
                dns: Resolver(
                    wrongAnswer: Resolver.WrongAnswer(address: IPv4Address(bits: 0xcb00_7107))))
        ),
        (
            "dns: { wrong-answer: { address: 203.0.113.7, names: a.example }, truncate: true }",
            Middlebox(
                dns: Resolver(
                    wrongAnswer: Resolver.WrongAnswer(
                        address: IPv4Address(bits: 0xcb00_7107),
                        names: ["a.example"].compactMap(NamePattern.init(parsing:))),
                    truncate: true))
        ),
        ("firewall: { block: quic }", Middlebox(firewall: Firewall(block: [TrafficKind(.quic)]))),
    ])
    func `it is read, and written as it was read`(text: String, middle: Middlebox) throws {
        let profile = try Self.profile(text)
        #expect(profile.conditions.middle == middle)
        let written = ProfileWriter.yaml(profile)
        #expect(try ProfileReader.profile(from: written, file: "b.yaml") == profile, "\(written)")
        var conditions = LinkConditions()
        try ProfileReader.apply(setting: "middle={ \(text) }", to: &conditions)
        #expect(conditions == profile.conditions)
        try ProfileReader.apply(setting: "middle=none", to: &conditions)
        #expect(conditions == LinkConditions())
    }

    @Test(arguments: [
        ("firewall: {}", "3: middle.firewall.block: is missing; write block: [udp]"),
        ("firewal: { block: udp }", "3: middle.firewal: unknown key; did you mean firewall?"),
        ("firewall: { block: [tpc/22] }", "3: middle.firewall.block: \"tpc/22\" is not one of tcp"),
        ("firewall: { block: [quic/443] }", "\"quic/443\" is not one of"),
        ("firewall: { block: [tcp/0] }", "\"tcp/0\" is not one of"),
        ("firewall: { block: [tcp/9-8] }", "\"tcp/9-8\" is not one of"),
        ("firewall: { block: [] }", "is empty"),
        (
            "firewall: { block: udp, answer: no }",
            "middle.firewall.answer: \"no\" is not one of drop"
        ),
        ("firewall: { block: udp, allow: tcp/443 }", "middle.firewall.allow: and block contradict"),
        ("firewall: { block: [udp, udp/99] }", "udp includes udp/99; leave one of them out"),
        ("firewall: { block: [udp, quic] }", "udp includes quic; leave one of them out"),
        ("firewall: { block: [tcp/22, tcp/22] }", "tcp/22 is given twice"),
        (
            "firewall: { timeout: { tcp: 100 ms } }",
            "middle.firewall.timeout: 100 ms is outside 1 s"
        ),
        ("firewall: { timeout: { tcp: 5 } }", "middle.firewall.timeout.tcp: \"5\" has no unit"),
        ("family: ipv5", "3: middle.family: \"ipv5\" is not one of ipv4, ipv6, nat64"),
        ("family: []", "3: middle.family"),
        (
            "{ family: nat64, nat: { kind: symmetric } }",
            "middle.nat: translates the app's IPv4 addresses, of which family: nat64 leaves none"
        ),
        ("mss: 10", "middle.mss: 10 bytes is outside 88 to 9000"),
        ("mss: small", "middle.mss: \"small\" is not a number of bytes"),
        ("nat: {}", "middle.nat.kind: is missing; write kind: port-restricted"),
        ("nat: { kind: cone }", "middle.nat.kind: \"cone\" is not one of full-cone"),
        ("nat: { kind: symmetric, rebind: 5 s }", "middle.nat.rebind: \"5 s\" is not an interval"),
        ("nat: { kind: symmetric, rebind: every 5 ms }", "middle.nat.rebind: 5 ms is too often"),
        ("nat: { kind: symmetric, table: 0 }", "middle.nat.table: 0 entries is outside 1 to 60000"),
        ("nat: { kind: symmetric, timeout: { udp: 1 ms } }", "middle.nat.timeout: 1 ms is outside"),
        (
            "nat: [{ kind: symmetric }, { kind: symmetric }, { kind: symmetric }]",
            "middle.nat: 3 NATs are too many"
        ),
        ("captive-portal: {}", "middle.captive-portal.until: is missing"),
        ("captive-portal: { until: 0 s }", "is outside 1 s to 1 day; leave captive-portal out"),
        ("captive-portal: { until: soon }", "\"soon\" is neither click nor a time"),
        ("captive-portal: { at: 1 s }", "middle.captive-portal"),
        (
            "{ firewall: { block: [tcp] }, captive-portal: { until: click } }",
            "middle.captive-portal: is never seen, since the firewall blocks tcp"
        ),
        ("dns: up", "middle.dns: \"up\" is neither down nor a list of fields"),
        ("dns: {}", "middle.dns: does nothing; write dns: down"),
        ("dns: { servfail: 10 }", "middle.dns.servfail: \"10\" has no unit"),
        ("dns: { servfail: 0% }", "middle.dns: does nothing"),
        ("dns: { nxdomain: [] }", "middle.dns.nxdomain: is empty"),
        ("dns: { nxdomain: a..b }", "middle.dns.nxdomain: \"a..b\" is not a name such as"),
        ("dns: { nxdomain: \"a.*.b\" }", "\"a.*.b\" is not a name such as"),
        ("dns: { nxdomain: [a, A.] }", "middle.dns.nxdomain: a is given twice"),
        ("dns: { nxdomain: [\"*.b\", \"*.a.b\"] }", "*.b includes *.a.b; leave one of them out"),
        ("dns: { nxdomain: \"*\", servfail: 1% }", "middle.dns.servfail: is for names that exist"),
        ("dns: { servfail: 100%, truncate: true }", "middle.dns.truncate: has no answers left"),
        ("dns: { wrong-answer: { names: a } }", "middle.dns.wrong-answer.address: is missing"),
        (
            "dns: { wrong-answer: { address: 1.2.3.256 } }",
            "middle.dns.wrong-answer.address: \"1.2.3.256\" is not an IPv4 address"
        ),
        (
            "dns: { nxdomain: \"*.b\", wrong-answer: { address: 192.0.2.1, names: a.b } }",
            "middle.dns.wrong-answer: a.b never gets an answer, because of nxdomain"
        ),
        ("dns: { delay: 1 h }", "middle.dns.delay: 3600 s is too long"),
        (
            "{ firewall: { block: [udp/53] }, dns: { truncate: true } }",
            "middle.dns: never gets a question, since the firewall blocks udp/53"
        ),
        (
            "firewall: { timeout: { tcp: 5 s }, answer: icmp }",
            "middle.firewall.answer: is for what"
        ),
    ])
    func `contradictions are named by file and line`(text: String, message: String) throws {
        let error = #expect(throws: ProfileError.self) { try Self.profile(text) }
        #expect(error?.description.contains("a.yaml:3: ") == true, "\(error as Any)")
        let rest = message.hasPrefix("3: ") ? String(message.dropFirst(3)) : message
        #expect(error?.description.contains(rest) == true, "\(error as Any)")
    }

    @Test func `two delays of answers contradict each other`() {
        let text = "name: A\ndns: { delay: 1 s }\nmiddle:\n  dns: { delay: 2 s }\n"
        let error = #expect(throws: ProfileError.self) {
            try ProfileReader.profile(from: text, file: "a.yaml")
        }
        #expect(
            error?.description.contains("a.yaml:4: middle.dns.delay: and dns.delay both make")
                == true, "\(error as Any)")
    }

    @Test func `IPv6 does not cross every link`() {
        let text = "name: A\nmiddle: { family: ipv6 }\nup: { mtu: 1000 }\n"
        let error = #expect(throws: ProfileError.self) {
            try ProfileReader.profile(from: text, file: "a.yaml")
        }
        #expect(
            error?.description.contains("a.yaml:3: up.mtu: 1000 bytes is less than the 1280")
                == true, "\(error as Any)")
    }

    @Test func `DNS is blocked by its port only`() throws {
        #expect(try Self.profile("firewall: { block: [udp, udp/53] }").conditions.middle != nil)
    }

    @Test func `a scenario's interface has it, and its timeline changes it`() throws {
        let text = """
            name: Office
            interfaces:
              eth0: { profile: LTE, middle: { firewall: { block: udp } } }
            timeline:
              - { at: 1 s, middle: { firewall: { block: tcp, answer: reset } }, for: 2 s }
              - { at: 5 s, middle: none }
            """
        let base = LinkConditions(up: .init(delay: .milliseconds(9)))
        let scenario = try ScenarioReader.scenario(from: text, file: "s.yaml") { _ in
            Profile(name: "LTE", family: "apple", conditions: base)
        }
        #expect(
            scenario.interfaces[0].profile.conditions.middle
                == Middlebox(firewall: Firewall(block: [TrafficKind(.udp)])))
        #expect(
            scenario.interfaces[0].conditionsName
                == "apple/LTE, middle={ firewall: { block: [udp] } }")
        let later = scenario.laterConditions.map { $0.middle?.firewall?.block.map(\.text) }
        #expect(later.contains(["tcp"]) && later.contains(nil))
        #expect(scenario.laterConditions.allSatisfy { $0.up == base.up })
        let broken = text.replacing("block: tcp, answer: reset", with: "answer: reset")
        let error = #expect(throws: ProfileError.self) {
            try ScenarioReader.scenario(from: broken, file: "s.yaml") { _ in
                Profile(name: "LTE", family: "apple", conditions: base)
            }
        }
        #expect(error?.description.contains("s.yaml:5: ") == true, "\(error as Any)")
    }
}
