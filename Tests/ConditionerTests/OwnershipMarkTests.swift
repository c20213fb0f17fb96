import LinkModel
import LinkTesting
import Testing
import TrafficControl

@testable import Conditioner

@Suite("Ownership marks")
struct OwnershipMarkTests {
    private static func mark(
        _ profile: String, direction: Direction = .up, target: Int32 = 5, since: Int64 = 1,
        madeClsact: Bool = true, distribution: Jitter.Distribution? = nil
    ) -> OwnershipMark {
        OwnershipMark(
            direction: direction, target: target, since: since, madeClsact: madeClsact,
            distribution: distribution, profile: profile)
    }

    @Test("An alias is readable for people")
    func text() {
        #expect(
            Self.mark("Very Bad Network", distribution: .pareto).alias
                == "linkcond/1 up of=5 since=1 clsact=made jitter=pareto profile=Very Bad Network")
        #expect(
            Self.mark("LTE", direction: .down, madeClsact: false).alias
                == "linkcond/1 down of=5 since=1 clsact=kept profile=LTE")
    }

    @Test(
        "A mark is read as it was written, whatever the profile is called",
        arguments: [
            "LTE", "", " ", "  two  blanks  ", "profile=profile=", "of=7 since=9", "100% loss",
            "Ünïcödé 🛰️", "tab\tand\nnewline", "=", "linkcond/1 up of=1 since=1",
        ])
    func roundTrip(profile: String) {
        for direction in Direction.allCases {
            for distribution in Jitter.Distribution.allCases + [nil] {
                for madeClsact in [true, false] {
                    let mark = Self.mark(
                        profile, direction: direction, target: Ownership.lastConditionable,
                        since: .min, madeClsact: madeClsact, distribution: distribution)
                    #expect(OwnershipMark(alias: mark.alias) == mark)
                }
            }
        }
    }

    @Test("The alias fits into the kernel's 255 bytes, its zero included")
    func length() throws {
        for name in ["x", "é", "🛰️", "👩‍👩‍👧‍👦"] {
            let mark = Self.mark(
                String(repeating: name, count: 400), direction: .down,
                target: Ownership.lastConditionable, since: .min, distribution: .paretonormal)
            #expect(mark.alias.utf8.count < 255)
            let read = try #require(OwnershipMark(alias: mark.alias))
            #expect(mark.profile.hasPrefix(read.profile))
            #expect(!read.profile.isEmpty)
        }
    }

    @Test(
        "What others write is not ours",
        arguments: [
            "", "linkcond", "linkcond/1", "linkcond/2 up of=5 since=1 clsact=made profile=LTE",
            "linkcond/1 sideways of=5 since=1 clsact=made profile=LTE",
            "linkcond/1 up of= since=1 clsact=made profile=LTE",
            "linkcond/1 up of=x since=1 clsact=made profile=LTE",
            "linkcond/1 up of=99999999999 since=1 clsact=made profile=LTE",
            "linkcond/1 up of=5 since=1.5 clsact=made profile=LTE",
            "linkcond/1 up of=5 clsact=made profile=LTE x",
            "linkcond/1 up of=5 since=1 clsact=made LTE",
            "linkcond/1 up of=5 since=1 clsact=made", "linkcond/1 up     ",
            "linkcond/1 up of=5 since=1 clsact=made Profile=LTE",
            " linkcond/1 up of=5 since=1 clsact=made profile=LTE",
        ])
    func foreign(alias: String) {
        #expect(OwnershipMark(alias: alias) == nil)
    }

    @Test("Later versions may say more")
    func extensions() throws {
        let mark = try #require(
            OwnershipMark(alias: "linkcond/1 up of=5 since=1 clsact=made until=9 profile=A B"))
        #expect(mark.profile == "A B")
    }

    @Test("Damaged aliases are read as something or nothing, without a trap")
    func fuzz() {
        let whole = Array(Self.mark("Very Bad Network", distribution: .normal).alias.utf8)
        var random = SeededGenerator(seed: 41)
        for _ in 0..<20_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(bytes[place], at: place)
                }
            }
            let alias = String(decoding: bytes, as: UTF8.self)
            if let mark = OwnershipMark(alias: alias) { _ = mark.alias }
        }
    }

    @Test("Each direction of each interface has an ifb of its own")
    func ifbs() {
        var seen: Set<Int32> = []
        var names: Set<String> = []
        for index in [1, 2, 3, 1000, Ownership.lastConditionable] {
            for direction in Direction.allCases {
                let ifb = Ownership.ifb(of: index, direction)
                #expect(seen.insert(ifb.index).inserted)
                #expect(names.insert(ifb.name).inserted)
                #expect(ifb.name.utf8.count < 16)
                #expect(ifb.index > Ownership.lastConditionable)
            }
        }
        #expect(Ownership.ifb(of: 5, .up) == Interface(index: 0x4c00_000a, name: "lcu5"))
        #expect(Ownership.ifb(of: 5, .down) == Interface(index: 0x4c00_000b, name: "lcd5"))
    }

    @Test("Our filters are told from others by their preferences")
    func preferences() {
        typealias Preference = Ownership.Preference
        let ours = Direction.allCases.flatMap {
            [Preference.neighborDiscovery($0), Preference.ipv4($0), Preference.ipv6($0)]
        }
        #expect(Set(ours).count == 6)
        #expect((UInt16.min...UInt16.max).filter(Preference.isOurs) == ours.sorted())
    }
}
