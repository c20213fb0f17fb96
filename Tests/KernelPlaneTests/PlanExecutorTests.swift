import DataPlane
import LinkModel
import LinkTesting
import Netlink
import SystemPackage
import Testing
import TrafficControl

@testable import KernelPlane

@Suite("Plan executor", .tags(.unit))
struct PlanExecutorTests {
    private static func plan(_ index: Int32, _ name: String) throws -> InterfacePlan {
        let directions = try ApplyRequest(
            conditions: SampleConditions["lossy"], profile: "lossy", now: 1
        ).planned(target: index, link: InterfacePlanTests.ethernet, madeClsact: true)
        return .create(Interface(index: index, name: name), directions, hasClsact: false)
    }

    /// Runs plans on a kernel that answers as told; returns the error and what was sent.
    private static func run(
        _ plans: [InterfacePlan], answer: @escaping (FakeTransport.Request) -> [FakeTransport.Reply]
    ) -> (error: KernelPlaneError?, kernel: FakeTransport) {
        let kernel = FakeTransport(answer: answer)
        do {
            try PlanExecutor(session: NetlinkSession(transport: kernel)).run(plans)
            return (nil, kernel)
        } catch {
            return (error, kernel)
        }
    }

    private static func refusing(
        _ number: Int, _ errno: Errno, _ text: String? = nil, thereafter: Errno? = nil
    ) -> (FakeTransport.Request) -> [FakeTransport.Reply] {
        { request in
            if request.number == number { return [.refusal(errno, text: text)] }
            if let thereafter, request.number > number { return [.refusal(thereafter)] }
            return [.success]
        }
    }

    /// The messages that were sent, comparable with those of operations.
    private static func sent(_ kernel: FakeTransport) -> [[UInt8]] {
        kernel.requests.map { request in
            var bytes = request.bytes
            bytes[6] &= ~4
            bytes.replaceSubrange(8..<12, with: [0, 0, 0, 0])
            return bytes
        }
    }

    private static func index(
        in plan: InterfacePlan, where isWanted: (TrafficOperation) -> Bool
    ) throws -> Int {
        let index = plan.operations.firstIndex(where: isWanted)
        return try #require(index)
    }

    @Test("All plans are one datagram")
    func success() throws {
        let plans = try [Self.plan(5, "eth0"), Self.plan(6, "eth1")]
        let (error, kernel) = Self.run(plans) { _ in [.success] }
        #expect(error == nil)
        #expect(kernel.datagrams.count == 1)
        #expect(
            Self.sent(kernel) == plans.flatMap(\.operations).map(\.message.bytes))
    }

    @Test("Whichever step is refused, all others are taken back, last first")
    func undo() throws {
        let plan = try Self.plan(5, "eth0")
        for (number, operation) in plan.operations.enumerated() where !operation.isOptional {
            let (error, kernel) = Self.run([plan], answer: Self.refusing(number, .resourceBusy))
            guard case .refused(let interface, let reason, let isUndone)? = error else {
                Issue.record("\(number): \(error.map { "\($0)" } ?? "no error")")
                continue
            }
            #expect(interface == "eth0")
            #expect(isUndone)
            #expect(reason.errno == .resourceBusy)
            #expect(error?.description.contains("`\(operation.commandText)`") == true)
            #expect(error?.description.hasSuffix("; nothing was changed") == true)
            var expected: [TrafficOperation] = []
            for (index, operation) in plan.operations.enumerated().reversed() where index != number
            {
                guard let inverse = operation.inverse, !expected.contains(inverse) else { continue }
                expected.append(inverse)
            }
            #expect(kernel.datagrams.count == 2)
            #expect(
                Self.sent(kernel).dropFirst(plan.operations.count)
                    == expected.map(\.message.bytes)[...])
        }
    }

    @Test("A step that a host does as well without may be refused")
    func optionalSteps() throws {
        let plan = try Self.plan(5, "eth0")
        let silence = try Self.index(in: plan) { $0.isOptional }
        let (error, kernel) = Self.run(
            [plan], answer: Self.refusing(silence, .notSupportedOnSocket))
        #expect(error == nil)
        #expect(kernel.datagrams.count == 1)
    }

    @Test("A refusal in one plan undoes all plans and names the interface of that one")
    func severalPlans() throws {
        let plans = try [Self.plan(5, "eth0"), Self.plan(6, "eth1")]
        let number = plans[0].operations.count + 4
        let (error, kernel) = Self.run(plans, answer: Self.refusing(number, .invalidArgument, "no"))
        guard case .refused("eth1", let reason, isUndone: true)? = error else {
            Issue.record("\(error.map { "\($0)" } ?? "no error")")
            return
        }
        #expect(reason.kernelText == "no")
        let undone = Self.sent(kernel).dropFirst(
            plans[0].operations.count + plans[1].operations.count)
        for target: Int32 in [5, 6] {
            for direction in Direction.allCases {
                let deletion = TrafficOperation.deleteLink(Ownership.ifb(of: target, direction))
                #expect(undone.contains(deletion.message.bytes))
            }
        }
    }

    @Test("What cannot be undone is said, with the way out")
    func failedUndo() throws {
        let plan = try Self.plan(5, "eth0")
        let last = plan.operations.count - 1
        let (error, _) = Self.run(
            [plan], answer: Self.refusing(last, .resourceBusy, thereafter: .resourceBusy))
        #expect(
            error?.description.hasSuffix("not all could be undone: run linkcond clear --all")
                == true)
    }

    @Test("What is gone already need not be undone")
    func absentThings() throws {
        let plan = try Self.plan(5, "eth0")
        for errno: Errno in [
            .noSuchFileOrDirectory, .operationNotSupportedByDevice, .noSuchProcess,
            .invalidArgument,
        ] {
            let (error, _) = Self.run(
                [plan],
                answer: Self.refusing(plan.operations.count - 1, .resourceBusy, thereafter: errno))
            #expect(error?.description.hasSuffix("nothing was changed") == true)
        }
    }

    @Test("A restoration that the kernel refuses did not restore")
    func failedRestoration() throws {
        var model = try InterfacePlanTests.conditioned("lte")
        let plan = InterfacePlan.change(
            InterfacePlanTests.eth0, from: model.found(InterfacePlanTests.ethernet),
            to: try InterfacePlanTests.planned("lossy"),
            hook: model.hook(of: InterfacePlanTests.eth0))
        model.execute(plan.operations)
        let (error, _) = Self.run(
            [plan], answer: Self.refusing(2, .resourceBusy, thereafter: .invalidArgument))
        guard case .refused(_, _, isUndone: false)? = error else {
            Issue.record("\(error.map { "\($0)" } ?? "no error")")
            return
        }
    }

    // MARK: Words

    @Test(
        "A kind that the kernel does not know is a missing feature",
        arguments: [
            (Errno.noSuchFileOrDirectory, "Specified qdisc kind is unknown", KernelFeature.netem),
            (.noSuchFileOrDirectory, nil, .netem), (.notSupportedOnSocket, nil, .netem),
        ] as [(Errno, String?, KernelFeature)])
    func missingFeature(errno: Errno, text: String?, feature: KernelFeature) throws {
        let plan = try Self.plan(5, "eth0")
        let number = try Self.index(in: plan) { $0.feature == feature }
        let (error, _) = Self.run([plan], answer: Self.refusing(number, errno, text))
        guard case .missingFeatures([feature])? = error else {
            Issue.record("\(error.map { "\($0)" } ?? "no error")")
            return
        }
    }

    @Test(
        "Links, filters and actions that the kernel does not know are missing features too",
        arguments: [
            (KernelFeature.ifb, "Unknown device type"), (.u32, "TC classifier not found"),
            (.mirred, "Failed to load TC action module"),
        ])
    func otherMissingFeatures(feature: KernelFeature, text: String) throws {
        let plan = try Self.plan(5, "eth0")
        let number = try Self.index(in: plan) { $0.feature == feature }
        let (error, _) = Self.run(
            [plan], answer: Self.refusing(number, .noSuchFileOrDirectory, text))
        guard case .missingFeatures([feature])? = error else {
            Issue.record("\(error.map { "\($0)" } ?? "no error")")
            return
        }
    }

    @Test(
        "Other refusals that speak of something not found are no missing features",
        arguments: ["Specified class not found", "Failed to find specified qdisc"])
    func notMissingFeature(text: String) throws {
        let plan = try Self.plan(5, "eth0")
        let number = try Self.index(in: plan) { $0.feature == .netem }
        let (error, _) = Self.run(
            [plan], answer: Self.refusing(number, .noSuchFileOrDirectory, text))
        guard case .refused(_, let reason, _)? = error else {
            Issue.record("\(error.map { "\($0)" } ?? "no error")")
            return
        }
        #expect(reason.kernelText == text)
    }

    @Test("A refused privilege and a vanished interface are told as such")
    func commonReasons() throws {
        let plan = try Self.plan(5, "eth0")
        let clsact = try Self.index(in: plan) { $0.feature == .clsact }
        let (privilege, _) = Self.run(
            [plan], answer: Self.refusing(0, .notPermitted, thereafter: .notPermitted))
        #expect(
            privilege?.description
                == "conditioning eth0 requires the privilege CAP_NET_ADMIN; run it with sudo")
        let (vanished, _) = Self.run(
            [plan],
            answer: Self.refusing(
                clsact, .operationNotSupportedByDevice, thereafter: .operationNotSupportedByDevice))
        #expect(
            vanished?.description
                == "eth0: the interface vanished meanwhile; nothing is left of its conditions")
    }

    // MARK: A broken socket

    @Test("Where the answer is lost, everything is taken back: it may have been done")
    func lostAnswer() throws {
        let plan = try Self.plan(5, "eth0")
        let count = plan.operations.count
        let kernel = FakeTransport { request in request.number < count ? [] : [.success] }
        kernel.failure = NetlinkError(attempt: "read the kernel's answer", errno: .noMemory)
        let error = #expect(throws: KernelPlaneError.self) {
            try PlanExecutor(session: NetlinkSession(transport: kernel)).run([plan])
        }
        guard case .netlink(let reason)? = error else {
            Issue.record("\(error.map { "\($0)" } ?? "no error")")
            return
        }
        #expect(reason.errno == .noMemory)
        #expect(kernel.datagrams.count == 2)
    }

    @Test("Where the socket is of no use any more, that not all could be undone is said")
    func brokenSocket() throws {
        let plan = try Self.plan(5, "eth0")
        let kernel = FakeTransport { _ in [] }
        kernel.failure = NetlinkError(attempt: "read the kernel's answer", errno: .noMemory)
        let error = #expect(throws: KernelPlaneError.self) {
            try PlanExecutor(session: NetlinkSession(transport: kernel)).run([plan])
        }
        #expect(
            error?.description
                == "eth0: cannot read the kernel's answer: Cannot allocate memory; "
                + "not all could be undone: run linkcond clear --all")
    }

    // MARK: Removals

    @Test("What a change takes away goes after everything else is done")
    func removals() throws {
        let model = try InterfacePlanTests.conditioned("lte")
        let plan = InterfacePlan.change(
            InterfacePlanTests.eth0, from: model.found(InterfacePlanTests.ethernet),
            to: try InterfacePlanTests.planned("lossy", [.up]),
            hook: model.hook(of: InterfacePlanTests.eth0))
        let (error, kernel) = Self.run([plan]) { _ in [.success] }
        #expect(error == nil)
        #expect(kernel.datagrams.count == 2)
        #expect(Self.sent(kernel) == plan.allOperations.map(\.message.bytes))
        let (refused, _) = Self.run(
            [plan], answer: Self.refusing(plan.operations.count, .notPermitted))
        guard case .refused("eth0", _, isUndone: false)? = refused else {
            Issue.record("\(refused.map { "\($0)" } ?? "no error")")
            return
        }
    }
}
