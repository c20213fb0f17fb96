import LinkModel
import LinkTesting
import LinkUnits
import LinuxKernel
import Testing

@testable import Learning

/// What facts mean, for people and as a profile.
@Suite("What a network does", .tags(.unit))
struct NetworkFactsTests {
    private static let endpoint = Endpoint(IPAddress(ipv4: 0xcb00_7101), port: 46464)

    /// A network where nothing stands in between.
    private static func plain(_ change: (inout NetworkFacts) -> Void = { _ in }) -> NetworkFacts {
        var facts = NetworkFacts()
        (facts.hasIPv4, facts.hasIPv6) = (true, true)
        facts.resolver.server = IPAddress(ipv4: 0xcb00_7103)
        facts.resolver.known = .addresses([IPAddress(ipv4: 0xc000_00aa)])
        facts.resolver.knownIPv6 = .empty
        facts.resolver.portalName = .addresses([endpoint.address])
        facts.resolver.impossible = .unknownName
        facts.resolver.answers = 24
        facts.portal = .none
        facts.responder = .reached(endpoint, program: "0.9.0")
        facts.datagrams = [46464, 46465, 443].map { .init(port: $0, passage: .passes) }
        (facts.longDatagrams, facts.quic) = (.passes, .passes)
        facts.streams = [.init(port: 46465, passage: .passes)]
        facts.translation = .none(isFiltered: false)
        facts.rebinding = .none
        facts.upSegment = .init(announced: 1460, arrived: 1460)
        facts.downSegment = facts.upSegment
        facts.upSize = .init(bytes: 1500, isFull: true, isTold: false)
        facts.downSize = facts.upSize
        change(&facts)
        return facts
    }

    private static func block(_ facts: inout NetworkFacts, _ answer: Firewall.Answer) {
        for index in facts.datagrams.indices { facts.datagrams[index].passage = .blocked(answer) }
        (facts.longDatagrams, facts.quic) = (nil, nil)
        facts.translation = .unknown("UDP does not pass")
        (facts.upSize, facts.downSize) = (nil, nil)
    }

    @Test func `where nothing stands in between, nothing is notable, and the profile is empty`() {
        let facts = Self.plain()
        #expect(facts.findings.map(\.check) == NetworkFinding.Check.allCases)
        #expect(facts.findings.allSatisfy { $0.status == .ok }, "\(facts.findings)")
        #expect(facts.conditions == LinkConditions())
    }

    @Test func `where nothing is known, nothing is said`() {
        let findings = NetworkFacts().findings.filter { $0.check != .addresses }
        #expect(findings.allSatisfy { $0.status == .notMeasurable && $0.result == nil })
        #expect(NetworkFacts().conditions == LinkConditions())
    }

    private static let changes: [(String, @Sendable (inout NetworkFacts) -> Void)] = [
        ("firewall: { block: [udp], answer: icmp }", { block(&$0, .icmp) }),
        (
            "firewall: { allow: [tcp/46464] }",
            {
                block(&$0, .drop)
                $0.streams?[0].passage = .blocked(.drop)
            }
        ),
        (
            "firewall: { block: [quic], answer: reset }",
            {
                $0.quic = .blocked(.reset)
                $0.datagrams[2].passage = .blocked(.reset)
            }
        ),
        ("firewall: { block: [udp/443] }", { $0.datagrams[2].passage = .blocked(.drop) }),
        (
            "firewall: { block: [tcp/46465], answer: reset }",
            { $0.streams?[0].passage = .blocked(.reset) }
        ),
        ("nat: { kind: symmetric }", { $0.translation = .kind(.symmetric) }),
        (
            "nat: { kind: full-cone, rebind: every 1.1 s }",
            {
                $0.translation = .kind(.fullCone)
                $0.rebinding = RebindingFact(
                    wasChanged: true,
                    changes: [.seconds(4), .milliseconds(5020), .milliseconds(6130)])
            }
        ),
        (
            "nat: { kind: full-cone }",
            {
                $0.translation = .kind(.fullCone)
                $0.rebinding = RebindingFact(wasChanged: false, changes: [.seconds(4)])
            }
        ),
        ("mss: 1360", { $0.upSegment?.arrived = 1360 }),
        ("captive-portal: { until: click }", { $0.portal = .redirect("http://a/") }),
        (
            "dns: { servfail: 25% }",
            { ($0.resolver.answers, $0.resolver.failures) = (24, 6) }
        ),
        (
            "dns: down",
            {
                $0.resolver = ResolverFacts()
                $0.resolver.server = endpoint.address
            }
        ),
        (
            "dns: { wrong-answer: { address: 203.0.113.1, names: [\"*.invalid\"] } }",
            { $0.resolver.impossible = .addresses([endpoint.address]) }
        ),
        (
            "dns: { wrong-answer: { address: 203.0.113.1 } }",
            { $0.resolver.known = .addresses([endpoint.address]) }
        ),
        (
            "dns: { nxdomain: [\"*\"] }",
            { ($0.resolver.known, $0.resolver.portalName) = (.unknownName, .unknownName) }
        ),
        ("dns: { truncate: true }", { $0.resolver.known = .truncated }),
        ("family: ipv6", { $0.hasIPv4 = false }),
        (
            "family: nat64",
            {
                ($0.hasIPv4, $0.resolver.known) = (false, .truncated)
                $0.translation = .kind(.symmetric)
                $0.resolver.knownIPv6 = .addresses(
                    [IPAddress(ipv6High: 0x64_ff9b_0000_0000, low: 0xc000_00aa)])
            }
        ),
    ]

    @Test(arguments: changes.indices)
    func `what is notable comes into the profile, which is a sound one`(index: Int) {
        let (text, change) = Self.changes[index]
        let facts = Self.plain(change)
        #expect(facts.conditions.middle?.text == "{ \(text) }")
        #expect(facts.conditions.problem == nil)
        #expect(facts.findings.contains { $0.status == .notable })
    }

    @Test func `a network with IPv4 alone is written as one, and usual`() {
        let facts = Self.plain { $0.hasIPv6 = false }
        #expect(facts.conditions.middle?.text == "{ family: ipv4 }")
        #expect(facts.findings.allSatisfy { $0.status == .ok })
    }

    @Test func `a smaller MTU is told from a black hole`() {
        let facts = Self.plain {
            $0.upSize = .init(bytes: 1400, isFull: false, isTold: true)
            $0.downSize = .init(bytes: 1380, isFull: false, isTold: false)
        }
        #expect(facts.conditions.up.mtu == LinkMTU(bytes: 1400))
        #expect(facts.conditions.down.mtu == LinkMTU(bytes: 1380, icmp: .silent))
        #expect(facts.findings.suffix(2).map(\.result) == ["told", "black-hole"])
    }

    @Test func `a port that changes once has no interval, and is no reason to leave sizes out`() {
        #expect(RebindingFact(wasChanged: false, changes: []) == .none)
        #expect(RebindingFact(wasChanged: true, changes: []) == .once)
        #expect(RebindingFact(wasChanged: true, changes: [.seconds(1)]) == .once)
        let changes = [Duration.milliseconds(10), .milliseconds(20)]
        #expect(RebindingFact(wasChanged: false, changes: changes) == .every(.milliseconds(100)))
        func reason(_ rebinding: RebindingFact) -> String? {
            Self.plain { ($0.rebinding, $0.upSize) = (rebinding, nil) }.findings.first {
                $0.check == .mtuUp
            }?.detail
        }
        #expect(reason(.every(.seconds(1)))?.contains("the NAT gives other ports") == true)
        #expect(reason(.once) == "the measurement did not come to an end")
    }

    /// What contradicts itself in a profile would be refused there.
    @Test func `any mixture of faults is a sound profile`() {
        let replies: [ResolverReply] = [
            .addresses([Self.endpoint.address]), .empty, .truncated, .failure, .unknownName,
            .refused(5), .unreachable, .silent,
        ]
        for known in replies {
            for impossible in replies {
                for portalName in replies {
                    for failures in [0, 7, 24] {
                        let facts = Self.plain {
                            ($0.resolver.known, $0.resolver.impossible) = (known, impossible)
                            $0.resolver.portalName = portalName
                            $0.resolver.failures = failures
                            $0.quic = .blocked(.drop)
                            $0.streams?[0].passage = .blocked(.icmp)
                            $0.translation = .kind(.restricted)
                        }
                        #expect(facts.conditions.problem == nil, "\(facts.conditions)")
                    }
                }
            }
        }
    }

    @Test(
        arguments: [
            ("64:ff9b::c000:aa", "64:ff9b::/96"), ("2001:db8:1:2:c0:0:aa00:0", "2001:db8:1:2::/64"),
            ("2001:db8:c000:aa::", "2001:db8::/32"), ("2001:db8::1", nil),
        ] as [(String, String?)])
    func `the prefix of a NAT64 is found`(address: String, prefix: String?) throws {
        let address = try #require(IPAddress(address))
        let facts = Self.plain { $0.resolver.knownIPv6 = .addresses([address]) }
        #expect(facts.resolver.prefix == prefix)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nsuccess\n", PortalFact.none),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nsuccess\n\r\n0\r\n", .none),
        ("HTTP/1.0 302 Found\nLocation: http://hotel/\n\n", .redirect("http://hotel/")),
        ("HTTP/1.1 511 Network Authentication Required\r\n\r\n", .other(511)),
        ("HTTP/1.1 200 OK\r\n\r\n<html>success", .other(200)),
        ("", .nothing("the connection was closed")),
        ("HTTP/1.1 200 OK\r\nA: b", .nothing("the answer is cut off")),
        ("SSH-2.0-x\r\n", .nothing("what answers is no HTTP server")),
        ("HTTP/1.1 99999999999999999999 OK\r\n\r\n", .nothing("what answers is no HTTP server")),
    ])
    func `an answer is told from a portal's`(response: String, fact: PortalFact) {
        #expect(PortalFact(response: Array(response.utf8)) == fact)
    }
}
