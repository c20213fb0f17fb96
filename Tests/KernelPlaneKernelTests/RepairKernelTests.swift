import DataPlane
import Foundation
import LinkModel
import LinkTesting
import LinuxKernel
import Netlink
import Testing
import TrafficControl

@testable import KernelPlane

@Suite("What others broke", .requiresConditioning)
struct RepairKernelTests {
    private static func execute(_ message: NetlinkMessage, _ host: TestHost) throws {
        try host.session.execute(message, attempt: "break something")
    }

    @Test("Our ifbs were deleted: clearing removes the filters and the clsact")
    func ifbsGone() async throws {
        for names in [["eth0"], nil] {
            try await TestHost.runUnchanged { host in
                try host.kernel.apply(TestHost.request("lte"))
                try Self.execute(Link.delete(group: Link.ownGroup), host)
                let status = try host.kernel.status()
                #expect(status.map(\.interface) == ["eth0"])
                #expect(
                    status.first?.problem
                        == "another program took the ifb of the way down and up away, so that "
                        + "all its packets are lost; linkcond clear, then apply again")
                let links = try host.session.links()
                #expect(
                    try host.kernel.conditioned(links) == [try host.interface().index],
                    "no other data plane is to take the interface")
                #expect(try host.kernel.clear(names) == ["eth0"])
            }
        }
    }

    @Test(
        "One of our ifbs was deleted: status tells the other, and clearing removes both's filters")
    func oneIFBGone() async throws {
        for direction in Direction.allCases {
            try await TestHost.runUnchanged { host in
                try host.kernel.apply(TestHost.request("lte"))
                let ifb = Ownership.ifb(of: try host.interface().index, direction)
                try Self.execute(Link.delete(index: ifb.index), host)
                let status = try host.kernel.status()
                #expect(status.count == 1)
                #expect(status.first?.directions[direction] == nil)
                #expect(status.first?.directions.count == 1)
                #expect(
                    status.first?.problem
                        == "another program took the ifb of the way \(direction.rawValue) away, "
                        + "so that all its packets are lost; linkcond clear, then apply again")
                try host.kernel.clear(["eth0"])
            }
        }
    }

    @Test("Our ifbs were deleted: applying again is refused until the filters are cleared")
    func applyAfterLoss() async throws {
        try await TestHost.runUnchanged { host in
            for lost in [[Direction.up], [.down], [.up, .down]] {
                try host.kernel.apply(TestHost.request("lte"))
                let index = try host.interface().index
                for direction in lost {
                    try Self.execute(
                        Link.delete(index: Ownership.ifb(of: index, direction).index), host)
                }
                let broken = try host.picture()
                for isForced in [false, true] {
                    let error = #expect(throws: KernelPlaneError.self) {
                        try host.kernel.apply(
                            TestHost.request("lte", replaces: true, isForced: isForced))
                    }
                    #expect(
                        error?.description
                            == "eth0: cannot condition the way \(lost[0].rawValue): filters of "
                            + "linkcond stand there whose ifb is gone; run linkcond clear -i eth0 "
                            + "first (File exists); nothing was changed")
                }
                try host.expectUnchanged(since: broken)
                try host.kernel.clear(["eth0"])
            }
        }
    }

    @Test("Our ifbs were deleted and the journal is lost: the filters go, the clsact may stay")
    func ifbsAndJournalGone() async throws {
        try await TestHost.run { host in
            try host.kernel.apply(TestHost.request("lte"))
            try Self.execute(Link.delete(group: Link.ownGroup), host)
            try Journal(StateDirectory(environment: [:])).erase(host.interface().index)
            #expect(try host.kernel.clear(nil) == ["eth0"])
            let filters = try HookFilters<FilterPlace>(
                host.session, interface: host.interface().index)
            #expect(filters.ours.isEmpty)
        }
    }

    @Test("The filters were deleted: status says so, and replacing or clearing mends it")
    func filtersGone() async throws {
        try await TestHost.runUnchanged { host in
            try host.kernel.apply(TestHost.request("lte"))
            try Self.execute(Qdisc.clsact(on: try host.interface()).delete(), host)
            let status = try host.kernel.status()
            #expect(
                status.first?.problem
                    == "another program took the filters of the way down and up away, so that it "
                    + "is not conditioned; apply again with --replace")
            let mending = TestHost.request("lte", replaces: true)
            try host.kernel.apply(mending)
            try host.expectStatus(of: mending)
            #expect(try host.kernel.clear(nil) == ["eth0"])
        }
    }

    @Test("Some of the filters were deleted: status says of which way, and replacing mends it")
    func someFiltersGone() async throws {
        try await TestHost.runUnchanged { host in
            try host.kernel.apply(TestHost.request("lte"))
            let index = try host.interface().index
            for direction in Direction.allCases {
                let place = FilterPlace(direction: direction, slot: 0, isSelective: false)
                for group in place.groups {
                    try Self.execute(
                        Filter.delete(
                            interface: try host.interface(), parent: place.hook,
                            preference: group.preference, networkProtocol: group.networkProtocol),
                        host)
                    #expect(
                        try host.kernel.status().first?.problem
                            == "another program took some filters of the way "
                            + "\(direction.rawValue) away, so that not the chosen packets are "
                            + "conditioned; apply again with --replace")
                    let mending = TestHost.request("lte", replaces: true)
                    try host.kernel.apply(mending)
                    try host.expectStatus(of: mending)
                    let groups = try HookFilters<FilterPlace>(host.session, interface: index).groups
                    #expect(groups[place] == Set(place.groups))
                }
            }
            try host.kernel.clear(nil)
        }
    }

    @Test("An ifb was taken down: status says so, and replacing brings it up")
    func ifbDown() async throws {
        try await TestHost.runUnchanged { host in
            try host.kernel.apply(TestHost.request("lte"))
            let ifb = Ownership.ifb(of: try host.interface().index, .up)
            try Self.execute(Link.takeDown(index: ifb.index), host)
            #expect(
                try host.kernel.status().first?.problem
                    == "another program took the ifb of the way up down, so that all its packets "
                    + "are lost; apply again with --replace")
            let mending = TestHost.request("lte", replaces: true)
            try host.kernel.apply(mending)
            try host.expectStatus(of: mending)
            try host.kernel.clear(nil)
        }
    }

    @Test("The MTU was raised: status says so, and replacing lets long packets pass")
    func raisedMTU() async throws {
        try await TestHost.run { host in
            try host.kernel.apply(TestHost.request("lte"))
            let index = try host.interface().index
            try Self.execute(Link.setMTU(index: index, 1568), host)
            #expect(try host.kernel.status().first?.problem == nil)
            try Self.execute(Link.setMTU(index: index, 9000), host)
            #expect(
                try host.kernel.status().first?.problem
                    == "the interface's MTU was raised to 9000 after the conditions were applied, so "
                    + "that longer packets than before are lost; apply again with --replace")
            let mending = TestHost.request("lte", replaces: true)
            try host.kernel.apply(mending)
            try host.expectStatus(of: mending)
        }
    }

    @Test("The group of an ifb was changed: nothing depends on it")
    func otherGroup() async throws {
        for names in [["eth0"], nil] {
            try await TestHost.runUnchanged { host in
                let request = TestHost.request("lte", replaces: true)
                for _ in 0..<2 {
                    try host.kernel.apply(request)
                    let ifb = Ownership.ifb(of: try host.interface().index, .up)
                    try shell("ip link set \(ifb.name) group 0")
                    try host.expectStatus(of: request)
                }
                #expect(try host.kernel.clear(names) == ["eth0"])
            }
        }
    }

    @Test("The alias of an ifb was changed: status and apply say so, and clearing cleans up")
    func otherAlias() async throws {
        for (names, ways) in [
            (["eth0"], [Direction.up]), (nil, [.down]), (["eth0"], [.up, .down]),
            (nil, [.up, .down]),
        ] {
            try await TestHost.runUnchanged { host in
                try host.kernel.apply(TestHost.request("lte"))
                let index = try host.interface().index
                for way in ways {
                    try Self.execute(
                        Link.setAlias(index: Ownership.ifb(of: index, way).index, "hello"), host)
                }
                let first = ways.contains(.down) ? "lcd\(index)" : "lcu\(index)"
                #expect(
                    try host.kernel.status().first?.problem
                        == "another program changed the alias of \(first), which says what the "
                        + "conditions are; linkcond clear, then apply again")
                let error = #expect(throws: KernelPlaneError.self) {
                    try host.kernel.apply(TestHost.request("lte", replaces: true))
                }
                #expect(error?.description.contains("run linkcond clear -i eth0 first") == true)
                #expect(try host.kernel.clear(names) == ["eth0"])
            }
        }
    }

    @Test("The interface is gone: status says so, and clearing cleans up")
    func interfaceGone() async throws {
        try await TestHost.run(interfaces: 2) { host in
            try host.kernel.apply(TestHost.request("lte", interfaces: ["eth0", "eth1"]))
            let index = try host.interface("eth0").index
            try Self.execute(Link.delete(index: index), host)
            let status = try host.kernel.status()
            #expect(status.map(\.interface) == ["eth1", "index \(index)"])
            #expect(
                status.last?.problem
                    == "the interface is gone; linkcond clear removes what was left of its "
                    + "conditions")
            #expect(Set(try host.kernel.clear(nil)) == ["eth1", "index \(index)"])
            #expect(try host.session.links(kind: "ifb").isEmpty)
        }
    }

    @Test("The tree was damaged: status does not fail, and a replacement mends it")
    func treeDamaged() async throws {
        try await TestHost.runUnchanged { host in
            for sample in ["lte", "dns-with-loss", "codel", "duplicate"] {
                let request = TestHost.request(sample)
                for handle in [
                    Ownership.Handle.segmenter, Ownership.Handle.delayLine,
                    Ownership.Handle.bottleneck, Ownership.Handle.shaper,
                    Ownership.Handle.dnsBands,
                ] {
                    try host.kernel.apply(request)
                    let ifb = Ownership.ifb(of: try host.interface().index, .up)
                    let found = try Inventory(host.session).directions
                        .first { $0.ifb == ifb }?.tree.qdiscs.first { $0.handle == handle }
                    if let found { try Self.execute(found.delete(), host) }
                    _ = try host.kernel.status()
                    let mending = TestHost.request(sample, replaces: true)
                    try host.kernel.apply(mending)
                    try host.expectStatus(of: mending)
                    try host.kernel.clear(nil)
                }
            }
        }
    }

    @Test("The interface was renamed: status and clear go by its number")
    func renamed() async throws {
        try await TestHost.run { host in
            try host.kernel.apply(TestHost.request("lte"))
            try shell("ip link set eth0 down; ip link set eth0 name wan0; ip link set wan0 up")
            #expect(try host.kernel.status().map(\.interface) == ["wan0"])
            #expect(try host.kernel.clear(["wan0"]) == ["wan0"])
            #expect(try host.session.links(kind: "ifb").isEmpty)
        }
    }
}
