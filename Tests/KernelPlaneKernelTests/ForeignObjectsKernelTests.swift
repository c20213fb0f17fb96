import DataPlane
import LinkModel
import LinkTesting
import LinuxKernel
import Netlink
import Testing
import TrafficControl

@testable import KernelPlane

@Suite("What belongs to others", .requiresConditioning)
struct ForeignObjectsKernelTests {
    private static func filter(
        _ host: TestHost, _ hook: QdiscHandle, preference: UInt16 = 7
    ) throws -> Filter {
        Filter(
            interface: try host.interface(), parent: hook, preference: preference,
            networkProtocol: .ipv4, matches: [.ipv4Protocol(47)],
            verdict: .classify(QdiscHandle(rawValue: 1)))
    }

    private static func add(_ messages: [NetlinkMessage], _ host: TestHost) throws {
        #expect(try host.session.execute(messages) == [])
    }

    private static func addClsact(_ host: TestHost) throws {
        try add([Qdisc.clsact(on: try host.interface()).add()], host)
    }

    @Test("A clsact without filters is used and left standing")
    func emptyClsact() async throws {
        try await TestHost.run { host in
            try Self.addClsact(host)
            let before = try host.picture()
            let request = TestHost.request("lte")
            let plans = try host.kernel.apply(request).plans
            #expect(
                plans[0].operations.allSatisfy {
                    $0 != .addQdisc(.clsact(on: plans[0].interface))
                })
            try host.expectStatus(of: request)
            try host.kernel.apply(TestHost.request("lossy", replaces: true))
            try host.kernel.clear(nil)
            try host.expectUnchanged(since: before)
        }
    }

    @Test("A clsact that was there stays even if our ifbs vanish behind our back")
    func emptyClsactAfterLoss() async throws {
        try await TestHost.run { host in
            try Self.addClsact(host)
            let before = try host.picture()
            try host.kernel.apply(TestHost.request("lte"))
            try Self.add([Link.delete(group: Link.ownGroup)], host)
            #expect(try host.kernel.clear(nil) == ["eth0"])
            try host.expectUnchanged(since: before)
        }
    }

    @Test("A clsact that was there stays even if the journal remembers another interface")
    func staleJournal() async throws {
        try await TestHost.run { host in
            try Self.addClsact(host)
            let before = try host.picture()
            let journal = try Journal(StateDirectory(environment: [:]))
            let index = try host.interface().index
            try journal.record(
                Journal.Entry(interface: "gone0", index: index, madeClsact: true))
            try host.kernel.apply(TestHost.request("lte"))
            #expect(journal.entry(index)?.interface == "eth0")
            try Self.add([Link.delete(group: Link.ownGroup)], host)
            #expect(try host.kernel.clear(nil) == ["eth0"])
            try host.expectUnchanged(since: before)
        }
    }

    @Test("Filters of others are named, and nothing is done without force")
    func foreignFilters() async throws {
        for (hook, direction) in [
            (QdiscHandle.clsactEgress, Direction.up), (.clsactIngress, .down),
        ] {
            try await TestHost.run { host in
                try Self.addClsact(host)
                try Self.add([Self.filter(host, hook).add()], host)
                let before = try host.picture()
                let error = #expect(throws: KernelPlaneError.self) {
                    try host.kernel.apply(TestHost.request("lte"))
                }
                guard case .foreignFilters("eth0", direction, kinds: ["pref 7 u32"])? = error
                else {
                    Issue.record("\(error.map { "\($0)" } ?? "no error")")
                    return
                }
                try host.expectUnchanged(since: before)
                let other: Direction = direction == .up ? .down : .up
                try host.kernel.apply(TestHost.request("lte", directions: [other]))
                let added = #expect(throws: KernelPlaneError.self) {
                    try host.kernel.apply(TestHost.request("lte", replaces: true))
                }
                guard case .foreignFilters? = added else {
                    Issue.record("\(added.map { "\($0)" } ?? "no error")")
                    return
                }
                try host.kernel.clear(nil)
                try host.expectUnchanged(since: before)
            }
        }
    }

    @Test("With force, filters of others come first and stay")
    func force() async throws {
        try await TestHost.run { host in
            try Self.addClsact(host)
            try Self.add(
                [
                    Self.filter(host, .clsactEgress).add(),
                    Self.filter(host, .clsactIngress, preference: 49_152).add(),
                ], host)
            let before = try host.picture()
            let request = TestHost.request("lte", isForced: true)
            try host.kernel.apply(request)
            try host.expectStatus(of: request)
            let replacement = TestHost.request("dns", replaces: true)
            try host.kernel.apply(replacement)
            try host.expectStatus(of: replacement)
            try host.kernel.clear(["eth0"])
            try host.expectUnchanged(since: before)
        }
    }

    @Test("A filter that somebody adds to our clsact keeps it alive")
    func lateFilter() async throws {
        for names in [["eth0"], nil] {
            try await TestHost.run { host in
                let untouched = try host.picture()
                try host.kernel.apply(TestHost.request("lte"))
                try Self.add([Self.filter(host, .clsactIngress).add()], host)
                try host.kernel.clear(names)
                #expect(try host.kernel.status().isEmpty)
                let filters = try HookFilters<FilterPlace>(
                    host.session, interface: host.interface().index)
                #expect(filters.ours.isEmpty)
                #expect(filters.foreign == [.down: ["pref 7 u32"]])
                try Self.add([Qdisc.clsact(on: try host.interface()).delete()], host)
                try host.expectUnchanged(since: untouched)
            }
        }
    }

    @Test("An ingress qdisc of another program is named and left alone")
    func ingress() async throws {
        try await TestHost.run { host in
            try Self.add(
                [
                    Qdisc(
                        interface: try host.interface(), handle: .init(major: 0xffff),
                        parent: .clsact, kind: .ingress
                    ).add(), Self.filter(host, .init(major: 0xffff)).add(),
                ], host)
            let before = try host.picture()
            for isForced in [false, true] {
                let error = #expect(throws: KernelPlaneError.self) {
                    try host.kernel.apply(TestHost.request("lte", isForced: isForced))
                }
                guard case .ingressQdisc("eth0")? = error else {
                    Issue.record("\(error.map { "\($0)" } ?? "no error")")
                    return
                }
            }
            #expect(try host.kernel.clear(nil).isEmpty)
            try host.expectUnchanged(since: before)
        }
    }

    @Test("A link of another program stays, even in our group")
    func foreignLinks() async throws {
        try await TestHost.run { host in
            try Self.add(
                [
                    Link.addIFB(name: "theirs", index: 9999, group: Link.ownGroup),
                    Link.addIFB(name: "theirs2", index: 9998, group: 0),
                    Link.bringUp(
                        index: 9998,
                        alias: OwnershipMark(
                            direction: .up, target: 5, since: 1, madeClsact: true,
                            distribution: nil, profile: "x"
                        ).alias),
                ], host)
            let before = try host.picture()
            #expect(try host.kernel.status().isEmpty)
            try host.kernel.apply(TestHost.request("lte"))
            #expect(try host.kernel.clear(nil) == ["eth0"])
            try host.expectUnchanged(since: before)
        }
    }

    @Test("Where another program has the index of our ifb, nothing is changed")
    func takenIndex() async throws {
        try await TestHost.run { host in
            let ifb = Ownership.ifb(of: try host.interface().index, .down)
            try Self.add([Link.addIFB(name: "theirs", index: ifb.index, group: 0)], host)
            let before = try host.picture()
            let error = #expect(throws: KernelPlaneError.self) {
                try host.kernel.apply(TestHost.request("lte"))
            }
            #expect(error?.description.contains("theirs has that index") == true)
            try host.expectUnchanged(since: before)
            try host.kernel.apply(TestHost.request("lte", directions: [.up]))
            #expect(throws: KernelPlaneError.self) {
                try host.kernel.apply(TestHost.request("lte", replaces: true))
            }
            try host.kernel.clear(nil)
            try host.expectUnchanged(since: before)
        }
    }
}
