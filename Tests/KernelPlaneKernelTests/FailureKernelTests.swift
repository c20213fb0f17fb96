import DataPlane
import LinkModel
import LinkTesting
import Netlink
import SystemPackage
import Testing
import TrafficControl

@testable import KernelPlane

@Suite("Failures in the middle", .requiresConditioning)
struct FailureKernelTests {
    /// Lets the kernel refuse each step of `request` in turn, expects the state before each time,
    /// and at last lets it happen.
    private static func refuseEachStep(
        of request: ApplyRequest, on host: TestHost,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try host.picture()
        let plans = try host.kernel.plan(request)
        let operations = plans.flatMap { plan in plan.operations.map { (plan.interface, $0) } }
        #expect(operations.count > 1, sourceLocation: sourceLocation)
        for (number, (interface, operation)) in operations.enumerated()
        where !operation.isOptional {
            host.transport.refuse(number)
            let error = #expect(throws: KernelPlaneError.self, sourceLocation: sourceLocation) {
                try host.kernel.apply(request)
            }
            guard case .refused(let name, let reason, let isUndone)? = error else {
                Issue.record(
                    "\(operation.commandText): \(error.map { "\($0)" } ?? "no error")",
                    sourceLocation: sourceLocation)
                continue
            }
            #expect(
                isUndone, "\(operation.commandText): \(reason)", sourceLocation: sourceLocation)
            #expect(name == interface.name, sourceLocation: sourceLocation)
            #expect(reason.errno == FaultyTransport.errno, sourceLocation: sourceLocation)
            #expect(
                reason.attempt.contains(operation.commandText), sourceLocation: sourceLocation)
            try host.expectUnchanged(
                since: before, operation.commandText, sourceLocation: sourceLocation)
        }
        host.transport.heal()
        try host.kernel.apply(request)
    }

    @Test("Whichever step of an apply is refused, nothing was changed")
    func create() async throws {
        for name in ["asymmetric", "dns-with-loss", "duplicate"] {
            try await TestHost.runUnchanged { host in
                let request = TestHost.request(name)
                try Self.refuseEachStep(of: request, on: host)
                try host.expectStatus(of: request)
                try host.kernel.clear(nil)
            }
        }
    }

    @Test("Whichever step for several interfaces is refused, none was changed")
    func severalInterfaces() async throws {
        try await TestHost.runUnchanged(interfaces: 3) { host in
            let request = TestHost.request("lossy", interfaces: ["eth0", "eth1", "eth2"])
            try Self.refuseEachStep(of: request, on: host)
            try host.expectStatus(of: request)
            try host.kernel.clear(nil)
        }
    }

    @Test(
        "Whichever step of a replacement is refused, the old conditions stand",
        arguments: [
            ("lte", "lossy"), ("lossy", "lte"), ("lte", "codel"), ("codel", "pie"),
            ("pie", "duplicate"), ("duplicate", "dns-with-loss"), ("dns-with-loss", "lte"),
            ("dns", "asymmetric"), ("jitter-normal", "bursts"), ("codel", "codel"),
        ])
    func change(old: String, new: String) async throws {
        try await TestHost.runUnchanged { host in
            try host.kernel.apply(TestHost.request(old))
            let request = TestHost.request(new, replaces: true)
            try Self.refuseEachStep(of: request, on: host)
            try host.expectStatus(of: request)
            try host.kernel.clear(nil)
        }
    }

    @Test("Whichever step of a replacement that adds a direction is refused, it is not there")
    func additions() async throws {
        for direction in Direction.allCases {
            try await TestHost.runUnchanged { host in
                try host.kernel.apply(TestHost.request("lte", directions: [direction]))
                let request = TestHost.request("asymmetric", replaces: true)
                try Self.refuseEachStep(of: request, on: host)
                try host.expectStatus(of: request)
                try host.kernel.clear(nil)
            }
        }
    }

    @Test("An interface that fails does not take the conditions of another with it")
    func mixed() async throws {
        try await TestHost.runUnchanged(interfaces: 2) { host in
            try host.kernel.apply(TestHost.request("lte", interfaces: ["eth0"]))
            let request = TestHost.request(
                "lossy", interfaces: ["eth0", "eth1"], replaces: true)
            try Self.refuseEachStep(of: request, on: host)
            try host.expectStatus(of: request)
            try host.kernel.clear(nil)
        }
    }

    @Test("What cannot be undone is said, and clearing takes it away")
    func failedUndo() async throws {
        try await TestHost.runUnchanged { host in
            let count = try host.kernel.plan(TestHost.request("lte"))[0].operations.count
            host.transport.refuse(count - 1, isLasting: true)
            let error = #expect(throws: KernelPlaneError.self) {
                try host.kernel.apply(TestHost.request("lte"))
            }
            guard case .refused(_, _, isUndone: false)? = error else {
                Issue.record("\(error.map { "\($0)" } ?? "no error")")
                return
            }
            host.transport.heal()
            #expect(try host.kernel.clear(nil) == ["eth0"])
        }
    }

    @Test("Where the answer of an apply is lost, everything is taken back")
    func lostAnswer() async throws {
        try await TestHost.runUnchanged { host in
            for (old, new) in [(nil, "asymmetric"), ("lte", "dns-with-loss"), ("codel", "lte")] {
                if let old { try host.kernel.apply(TestHost.request(old)) }
                let before = try host.picture()
                host.transport.loseAnswer()
                let error = #expect(throws: KernelPlaneError.self) {
                    try host.kernel.apply(TestHost.request(new, replaces: true))
                }
                guard case .netlink? = error else {
                    Issue.record("\(error.map { "\($0)" } ?? "no error")")
                    return
                }
                try host.expectUnchanged(since: before, new)
                try host.kernel.clear(nil)
            }
        }
    }

    @Test("A clearing that the kernel refuses says why, and can be repeated")
    func failedClear() async throws {
        for names in [["eth0"], nil] {
            try await TestHost.runUnchanged { host in
                try host.kernel.apply(TestHost.request("lte"))
                host.transport.refuse(0, isLasting: true)
                let error = #expect(throws: KernelPlaneError.self) {
                    try host.kernel.clear(names)
                }
                #expect(
                    error?.description
                        == "eth0: cannot run what is equivalent to `tc filter del dev eth0 egress "
                        + "pref 64714 protocol ip`: Operation not supported; not all could be "
                        + "undone: run linkcond clear --all")
                host.transport.heal()
                try host.expectStatus(of: TestHost.request("lte"))
                #expect(try host.kernel.clear(names) == ["eth0"])
            }
        }
    }

    @Test("An interface that vanishes between looking and acting leaves nothing behind")
    func vanishing() async throws {
        try await TestHost.run(interfaces: 2) { host in
            let gone = try host.interface("eth0")
            let other = try NetlinkSession()
            host.transport.intrude {
                _ = try? other.execute([Link.delete(index: gone.index)])
            }
            let error = #expect(throws: KernelPlaneError.self) {
                try host.kernel.apply(
                    TestHost.request("lossy", interfaces: ["eth1", "eth0"]))
            }
            guard case .vanished("eth0")? = error else {
                Issue.record("\(error.map { "\($0)" } ?? "no error")")
                return
            }
            #expect(try host.kernel.status() == [])
            #expect(try host.session.links(kind: "ifb").allSatisfy { $0.group == 0 })
        }
    }
}
