import DataPlane
import LinkModel
import LinkTesting
import LinkUnits
import Testing
import TrafficControl

@testable import KernelPlane

@Suite("Ownership marks", .tags(.unit))
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

    @Test("A mark with a name that was never given is none of ours")
    func longName() throws {
        for name in [String(repeating: "n", count: 240), String(repeating: "\u{fffd}", count: 80)] {
            let alias = "linkcond/1 up of=5 since=1 clsact=made name=\(name) profile=LTE"
            #expect(OwnershipMark(alias: alias) == nil)
        }
        let name = String(repeating: "n", count: 32)
        let mark = try #require(
            OwnershipMark(alias: "linkcond/1 up of=5 since=1 name=\(name) profile=LTE"))
        #expect(mark.alias.utf8.count <= 254)
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
            OwnershipMark(alias: "linkcond/1 up of=5 since=1 clsact=made ends=9 profile=A B"))
        #expect(mark.profile == "A B")
    }

    @Test("A limit is in the mark, readable for people and for the program")
    func limit() {
        var mark = Self.mark("LTE")
        mark.limit = TimeLimit(ends: 9, process: nil, watcher: "3w5e11264sgsf")
        #expect(
            mark.alias == "linkcond/1 up of=5 since=1 clsact=made ends=9 watch=3w5e11264sgsf "
                + "profile=LTE")
        for limit in [
            TimeLimit(ends: .max, process: .max), TimeLimit(ends: nil, process: 4711),
            TimeLimit(ends: 1, process: nil),
        ] {
            mark.limit = limit
            #expect(OwnershipMark(alias: mark.alias) == mark)
        }
    }

    @Test(
        "The name of a watcher is no path",
        arguments: ["", "../lock", "a/b", "A", "12345678901234"])
    func watcherName(name: String) {
        let alias = "linkcond/1 up of=5 since=1 clsact=made ends=9 watch=\(name) profile=LTE"
        #expect(OwnershipMark(alias: alias)?.limit == nil)
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
        #expect(Ownership.ifb(of: 5, .up) == Interface(index: 0x1000_000a, name: "lcu5"))
        #expect(Ownership.ifb(of: 5, .down) == Interface(index: 0x1000_000b, name: "lcd5"))
    }

    @Test("Conditions in another slot have ifbs and filters of their own")
    func slots() {
        var indexes: Set<Int32> = []
        var preferences: Set<UInt16> = []
        for slot in Slot.all {
            for direction in Direction.allCases {
                for target in [1, 2, Ownership.lastConditionable] {
                    let ifb = Ownership.ifb(of: target, direction, slot: slot)
                    #expect(indexes.insert(ifb.index).inserted)
                    #expect(ifb.name.utf8.count < 16)
                }
                for isSelective in [true, false] {
                    let place = FilterPlace(
                        direction: direction, slot: slot, isSelective: isSelective)
                    for group in place.groups {
                        let isNew = preferences.insert(group.preference).inserted
                        #expect(isNew)
                        #expect(FilterPlace(preference: group.preference) == place)
                    }
                }
            }
        }
        for direction in Direction.allCases {
            for group in FilterPlace.guard(direction).groups {
                let isNew = preferences.insert(group.preference).inserted
                #expect(isNew)
            }
        }
        #expect(indexes.min() == 0x1000_0002)
        // The kernel counts down from 49,152 for those that ask for none.
        #expect(preferences.min() ?? 0 > 49_152)
        let ours = (UInt16.min...UInt16.max).filter { FilterPlace(preference: $0) != nil }
        #expect(Set(ours) == preferences)
    }

    @Test("Conditions that choose come first, and of these the ones with the lower slot")
    func order() {
        let conditions = [(0, true), (1, true), (99, true), (0, false), (1, false), (99, false)].map
        {
            FilterPlace(direction: .up, slot: $0.0, isSelective: $0.1)
        }
        let places = [.guard(.up)] + conditions
        for (left, right) in zip(places, places.dropFirst()) {
            #expect(left.precedes(right) && !right.precedes(left))
        }
    }

    @Test("A mark says under which name conditions stand, in which slot, and for what traffic")
    func selections() throws {
        var mark = Self.mark("Very Bad Network")
        mark.name = "api"
        mark.slot = 23
        for text in ["to=10.0.0.0/8,port=443", ";port=22", "family=ipv6"] {
            mark.selection = text
            #expect(OwnershipMark(alias: mark.alias) == mark)
            #expect(mark.place.isSelective == !text.hasPrefix(";"))
            #expect(mark.selector?.text == text)
        }
        #expect(
            mark.alias
                == "linkcond/1 up of=5 since=1 clsact=made slot=23 name=api select=family=ipv6 "
                + "profile=Very Bad Network")
        let other = "linkcond/1 up of=5 since=1 clsact=made slot=100 profile=LTE"
        #expect(OwnershipMark(alias: other) == nil)
    }

    @Test("A selection that is too long is cut, and known to be")
    func longSelections() throws {
        let networks = (0..<40).map { "2001:db8:\($0)::/48" }
        let selector = try TrafficSelector(to: networks, exceptions: ["port=22"])
        var mark = Self.mark(
            String(repeating: "profile", count: 50), target: Ownership.lastConditionable,
            since: .min, distribution: .paretonormal)
        mark.name = String(repeating: "n", count: 32)
        mark.slot = 23
        mark.selection = selector.text
        #expect(mark.alias.utf8.count == 254)
        let read = try #require(OwnershipMark(alias: mark.alias))
        #expect(read.selector == nil)
        #expect(read.place == mark.place)
        #expect(read.selection.hasSuffix("~"))
        #expect(selector.text.hasPrefix(read.selection.dropLast()))
        #expect(read.profile.hasPrefix("profileprofile"))
    }

    @Test("The longest frame is in the mark where it is longer than usual")
    func longestFrame() {
        var mark = OwnershipMark(
            direction: .up, target: 5, since: 1, madeClsact: true, profile: "p")
        #expect(!mark.alias.contains("frame="))
        #expect(OwnershipMark(alias: mark.alias) == mark)
        mark.longestFrame = ByteCount(bytes: 9032)
        #expect(mark.alias.contains(" frame=9032 "))
        #expect(OwnershipMark(alias: mark.alias) == mark)
    }

    @Test("An ifb's index says whose it is")
    func indexes() throws {
        for slot in Slot.all {
            for direction in Direction.allCases {
                for target in [1, 2, Ownership.lastConditionable] {
                    let ifb = Ownership.ifb(of: target, direction, slot: slot)
                    let part = try #require(Ownership.part(ofIndex: ifb.index))
                    #expect(part == (target, direction, slot))
                }
            }
        }
        #expect(Ownership.part(ofIndex: 1) == nil)
        #expect(Ownership.part(ofIndex: .max) == nil)
    }
}
