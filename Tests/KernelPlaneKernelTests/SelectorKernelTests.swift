import DataPlane
import LinkModel
import LinkTesting
import LinuxKernel
import Netlink
import SystemPackage
import Testing
import TrafficControl

@testable import KernelPlane

@Suite("Conditions for chosen traffic, side by side", .requiresConditioning)
struct SelectorKernelTests {
    private static func request(
        _ sample: String, name: String = ApplyRequest.defaultName, _ selection: String = "",
        interfaces: [String] = ["eth0"], directions: [Direction] = Direction.allCases,
        replaces: Bool = false
    ) throws -> ApplyRequest {
        var request = TestHost.request(
            sample, interfaces: interfaces, directions: directions, replaces: replaces)
        request.name = name
        request.selector = try #require(TrafficSelector(text: selection))
        return request
    }

    /// What stands on eth0: names and what each is for.
    private static func standing(_ host: TestHost) throws -> [String] {
        try host.kernel.status().map { found in
            #expect(found.problem == nil)
            return ([found.name] + found.selectors).joined(separator: " ")
        }
    }

    @Test("Names stand side by side, are told in the order of choice, and go one by one")
    func sideBySide() async throws {
        try await TestHost.runUnchanged { host in
            try host.kernel.apply(Self.request("lte"))
            try host.kernel.apply(Self.request("lossy", name: "api", "to=192.0.2.0/24"))
            let report = try host.kernel.apply(
                Self.request("dns", name: "dns", "port=53;to=192.0.2.1"))
            #expect(report.plans[0].precedents == ["api"])
            let all = [
                "api --to 192.0.2.0/24", "dns --port 53 --except to=192.0.2.1", "default",
            ]
            #expect(try Self.standing(host) == all)
            #expect(
                try host.kernel.status().map(\.profile) == ["lossy", "dns", "lte"])

            #expect(try host.kernel.clear(["eth0"], conditions: "api") == ["eth0"])
            #expect(try Self.standing(host) == [all[1], all[2]])
            let none = try HostState.withLock([:]) { state in
                try host.kernel.clear(nil, name: "api", state)
            }
            #expect(none.interfaces.isEmpty && none.names == ["default", "dns"])
            try host.kernel.clear(nil, conditions: "default")
            #expect(try Self.standing(host) == [all[1]])
            try host.kernel.clear(nil, conditions: "dns")
        }
    }

    @Test("A name that is taken is refused, and changed in place with --replace")
    func replace() async throws {
        try await TestHost.runUnchanged { host in
            try host.kernel.apply(Self.request("lte", name: "a", "port=80"))
            try host.kernel.apply(Self.request("lte", name: "b", "port=81"))
            let error = #expect(throws: KernelPlaneError.self) {
                try host.kernel.apply(Self.request("lossy", name: "a", "port=82"))
            }
            #expect(error?.description.hasPrefix("eth0: has conditions called a already") == true)

            for selection in ["port=82", "", "to=::1", "port=82", ";port=22"] {
                let directions: [Direction] = selection == "to=::1" ? [.up] : [.up, .down]
                try host.kernel.apply(
                    Self.request(
                        "lossy", name: "a", selection, directions: directions, replaces: true))
                let found = try host.kernel.status().first { $0.name == "a" }
                #expect(found?.profile == "lossy")
                #expect(found?.selectors == TrafficSelector(text: selection)?.commandLine)
                #expect(found?.directions.count == directions.count)
                #expect(found?.problem == nil)
                let other = try host.kernel.status().first { $0.name == "b" }
                #expect(other?.profile == "lte" && other?.problem == nil)
            }
            try host.kernel.clear(nil)
        }
    }

    @Test("Every selector is told by status as it was applied, and leaves no trace")
    func roundTrip() async throws {
        let texts = [
            "family=ipv6", "to=10.0.0.0/8,to=2001:db8::/32,from=10.1.0.0/16,from=::/0",
            "port=1000-2000,protocol=tcp", "to-port=80,from-port=1024-65535", "protocol=icmp",
            ";port=22,to=192.0.2.1;protocol=icmp", "port=1025-65534",
            "from-port=1025-65534;port=2000-3000",
        ]
        try await TestHost.runUnchanged { host in
            for text in texts {
                try host.kernel.apply(Self.request("delay-only", name: "x", text))
                let expected = try #require(TrafficSelector(text: text)).commandLine
                #expect(try host.kernel.status().map(\.selectors) == [expected])
                try host.kernel.clear(nil)
            }
        }
    }

    @Test("A selector too long for the mark is known from the journal, and without it cut")
    func longSelector() async throws {
        let text = (0..<30).map { "to=2001:db8:\($0)::/48" }.joined(separator: ",")
        try await TestHost.runUnchanged { host in
            try host.kernel.apply(Self.request("lte", name: "long", text))
            let expected = try #require(TrafficSelector(text: text)).commandLine
            #expect(try host.kernel.status().map(\.selectors) == [expected])
            try host.kernel.apply(Self.request("lossy", name: "long", text, replaces: true))

            try Journal(StateDirectory(environment: [:])).erase(host.interface().index)
            let cut = try #require(try host.kernel.status().first)
            #expect(cut.selectors.count == 1 && cut.selectors[0].hasSuffix("~"))
            #expect(cut.problem == nil)
            let error = #expect(throws: KernelPlaneError.self) {
                try host.kernel.apply(
                    Self.request("lte", name: "long", text, replaces: true))
            }
            #expect(error?.description.contains("cannot be read any more") == true)
            try host.kernel.clear(nil, conditions: "long")
        }
    }

    @Test("There is room for 100 names, and one more is told")
    func room() async throws {
        try await TestHost.runUnchanged { host in
            for number in Slot.all {
                try host.kernel.apply(
                    Self.request("perfect", name: "n\(number)", "port=\(1000 + number)"))
            }
            #expect(try host.kernel.status().map(\.name) == Slot.all.map { "n\($0)" })
            let error = #expect(throws: KernelPlaneError.self) {
                try host.kernel.apply(Self.request("perfect", name: "more", "port=1"))
            }
            #expect(error?.description.hasPrefix("eth0: has 100 conditions already") == true)
            try host.kernel.clear(nil, conditions: "n7")
            try host.kernel.apply(Self.request("perfect", name: "more", "port=1"))
            #expect(try host.kernel.status().count == 100)
            try host.kernel.clear(nil)
        }
    }

    @Test("Names have a guard before them, unless what is left has to see every packet")
    func guards() async throws {
        try await TestHost.runUnchanged { host in
            func guarded() throws -> Set<FilterPlace> {
                try Set(
                    HookFilters(host.session, interface: host.interface().index).guards.keys)
            }
            let both: Set = [FilterPlace.guard(.up), .guard(.down)]
            try host.kernel.apply(Self.request("perfect", name: "a", "port=80"))
            #expect(try guarded() == [])
            try host.kernel.apply(
                Self.request("perfect", name: "b", "to=192.0.2.0/24", directions: [.up]))
            #expect(try guarded() == [.guard(.up)])
            try host.kernel.apply(Self.request("perfect", name: "c", "port=81"))
            #expect(try guarded() == both)
            try host.kernel.apply(Self.request("lossy", name: "rest"))
            #expect(try guarded() == [])
            try host.kernel.apply(Self.request("lossy", name: "rest", "port=82", replaces: true))
            #expect(try guarded() == both)
            #expect(try host.kernel.status().map(\.name) == ["a", "b", "c", "rest"])
            for name in ["rest", "c"] { try host.kernel.clear(nil, conditions: name) }
            #expect(try guarded() == [.guard(.up)])
            try host.kernel.clear(nil, conditions: "a")
            #expect(try guarded() == [])
            #expect(try Self.standing(host) == ["b --to 192.0.2.0/24"])
            try host.kernel.clear(nil)
        }
    }

    @Test("One name's ifbs were deleted: the others stand, and it goes by its name")
    func ifbsGone() async throws {
        try await TestHost.runUnchanged { host in
            try host.kernel.apply(Self.request("lte", name: "a", "port=80"))
            try host.kernel.apply(Self.request("lte", name: "b", "port=81"))
            let index = try host.interface().index
            for direction in Direction.allCases {
                try host.session.execute(
                    Link.delete(index: Ownership.ifb(of: index, direction, slot: 1).index),
                    attempt: "break something")
            }
            let status = try host.kernel.status()
            #expect(status.map(\.name) == ["a", ""])
            #expect(status[0].problem == nil)
            #expect(status[1].problem?.contains("packets are lost") == true)
            #expect(try host.kernel.clear(nil, conditions: "b") == ["eth0"])
            #expect(try Self.standing(host) == ["a --port 80"])
            try host.kernel.clear(nil)
        }
    }

    @Test("The printed commands do the same as apply")
    func commands() async throws {
        let request = try Self.request(
            "lte", name: "api", "to=192.0.2.0/24,to=::1,protocol=tcp;port=22", directions: [.up])
        let commands = try await withNewNamespace {
            try TestHost().kernel.apply(request).plans.flatMap(\.allOperations)
                .map(\.commandText)
        }
        let show = "tc filter show dev eth0 egress"
        let byMessage = try await withNewNamespace {
            try TestHost().kernel.apply(request)
            return try shell(show)
        }
        try await TestHost.runUnchanged { host in
            try shell((["set -e"] + commands).joined(separator: "\n"))
            // Each action has a number of its own.
            let numbers = /index [0-9]+/
            #expect(
                try shell(show).replacing(numbers, with: "")
                    == byMessage.replacing(numbers, with: ""))
            #expect(
                try Self.standing(host)
                    == ["api --to 192.0.2.0/24 --to ::1 --protocol tcp --except port=22"])
            try host.kernel.clear(nil)
        }
    }
}
