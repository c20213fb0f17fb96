import DataPlane
import LinkModel
import LinkTesting
import Netlink
import Testing
import TrafficControl

@testable import KernelPlane

@Suite("Traffic operations", .tags(.unit))
struct TrafficOperationTests {
    private static let ifb = Interface(index: 0x4c00_000a, name: "lcu5")

    /// The words that a shell makes of a command, in place of running it.
    private static func words(_ command: String) throws -> [String] {
        let name = command.prefix { $0 != " " }
        let text = try shell(
            "\(name)() { for word in \"$@\"; do printf '%s\\001' \"$word\"; done; }\n\(command)")
        return text.split(separator: "\u{1}", omittingEmptySubsequences: false).dropLast()
            .map(String.init)
    }

    @Test(
        "A profile's name is one word of a printed command, whatever is in it",
        arguments: [
            "LTE", "Very Bad Network", "it's", "$(touch /tmp/x)", "`id`", "\"", "\\", "a;b|c&d",
            "*", "~", "#", "!", "''", "$HOME", "new\nline", "Ünïcödé 🛰️", "",
        ])
    func aliases(profile: String) throws {
        let mark = OwnershipMark(
            direction: .up, target: 5, since: 1, madeClsact: true, distribution: nil,
            profile: profile)
        #expect(
            try Self.words(TrafficOperation.bringUp(Self.ifb, alias: mark.alias).commandText)
                == ["link", "set", "dev", "lcu5", "alias", mark.alias, "up"])
    }

    @Test(
        "An interface's name is one word of a printed command, whatever is in it",
        arguments: ["eth0", "eth0.100", "br-lan", "a;reboot", "$(id)", "it's", "*", "wlan\"0"])
    func interfaces(name: String) throws {
        let directions = try ApplyRequest(
            conditions: SampleConditions["asymmetric"], profile: "x", now: 1
        ).planned(target: 5, link: InterfacePlanTests.ethernet, madeClsact: true)
        let interface = Interface(index: 5, name: name)
        let create = InterfacePlan.create(interface, directions, hasClsact: false)
        let clear = InterfacePlan.clear(
            interface, filters: InterfacePlanTests.allFilters(), ifbs: [Self.ifb],
            removesClsact: true)
        for operation in create.operations + clear.operations {
            let words = try Self.words(operation.commandText)
            let place = try #require(words.firstIndex(of: "dev") ?? words.firstIndex(of: "add"))
            #expect(["lcu5", "lcd5", name].contains(words[place + 1]), "\(operation.commandText)")
        }
    }

    @Test("What adds something has an inverse that takes it away, and nothing else has")
    func inverses() throws {
        let plan = try ApplyRequest(
            conditions: SampleConditions["asymmetric"], profile: "x", now: 1
        ).examplePlan(interface: "eth0")
        for operation in plan.operations {
            switch operation {
            case .addIFB, .addQdisc, .addFilter: #expect(operation.inverse != nil)
            default: #expect(operation.inverse == nil)
            }
        }
    }

    @Test("Every operation knows the kernel feature that it needs")
    func features() throws {
        var needed: Set<KernelFeature> = []
        for (name, _) in SampleConditions.all {
            let plan = try ApplyRequest(
                conditions: SampleConditions[name], profile: "x", now: 1
            ).examplePlan(interface: "eth0")
            for operation in plan.operations {
                if case .addQdisc(let qdisc) = operation {
                    #expect(operation.feature != nil, "\(qdisc.kind.name)")
                }
                if let feature = operation.feature { needed.insert(feature) }
            }
        }
        // What a wide choice prefers, it does not need.
        #expect(needed == Set(KernelFeature.allCases).subtracting([.programs]))
    }

    @Test(
        "A feature is called as its module",
        arguments: [
            ("netem", KernelFeature.netem), ("clsact", .clsact), ("ingress", .clsact),
            ("fq_codel", .fqCodel), ("pfifo_fast", nil),
        ] as [(String, KernelFeature?)])
    func modules(kind: String, feature: KernelFeature?) {
        #expect(KernelFeature(qdiscKind: kind) == feature)
    }
}
