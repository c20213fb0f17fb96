import LinkModel
import LinkTesting
import Netlink
import Testing
import TrafficControl

@testable import KernelPlane

@Suite("Plans that change a conditioned interface", .tags(.unit))
struct InterfaceChangeTests {
    private typealias Plans = InterfacePlanTests

    private static let names = SampleConditions.all.map(\.name)

    private static func change(
        _ kernel: ModelKernel, to name: String, _ directions: [Direction] = Direction.allCases
    ) throws(UnsupportedConditions) -> InterfacePlan {
        let found = kernel.found(Plans.ethernet)
        return .change(
            Plans.eth0, from: found, to: try Plans.planned(name, directions, replacing: found),
            hook: kernel.hook(of: Plans.eth0))
    }

    /// What the interface does to packets, by direction.
    private static func conditions(_ kernel: ModelKernel) -> [Direction: DirectionConditions] {
        let found = kernel.found(Plans.ethernet).map {
            ($0.mark.direction, $0.conditions(headerLength: Plans.ethernet.headerLength))
        }
        return Dictionary(uniqueKeysWithValues: found)
    }

    @Test("From any shape to any other: no step is refused and the state is the new one")
    func allPairs() throws {
        for old in Self.names {
            let before = try Plans.conditioned(old)
            for new in Self.names {
                var kernel = before
                let plan = try Self.change(kernel, to: new)
                let refusals = kernel.execute(plan.allOperations)
                #expect(refusals.isEmpty, "\(old) to \(new): \(refusals)")
                // But for parts without effect, which stay because packets may be in them.
                let expected = try Plans.conditioned(
                    new, replacing: before.found(Plans.ethernet))
                #expect(kernel.picture == expected.picture, "\(old) to \(new)")
                let reported = SampleConditions[new].asReported
                let conditions = Self.conditions(kernel)
                #expect(conditions[.up] == reported.up, "\(old) to \(new)")
                #expect(conditions[.down] == reported.down, "\(old) to \(new)")
            }
        }
    }

    @Test("What stands in both shapes keeps its packets")
    func packetsStay() throws {
        for old in Self.names {
            let before = try Plans.conditioned(old)
            for new in Self.names {
                var kernel = before
                kernel.execute(try Self.change(kernel, to: new).allOperations)
                for was in before.standing {
                    let isKept = kernel.standing.contains {
                        $0.qdisc.interface == was.qdisc.interface
                            && $0.qdisc.handle == was.qdisc.handle
                            && $0.qdisc.parent == was.qdisc.parent
                            && $0.qdisc.kind.name == was.qdisc.kind.name
                    }
                    #expect(
                        kernel.standing.contains { $0.birth == was.birth } == isKept,
                        "\(old) to \(new): \(was.qdisc.tcAddText)")
                }
            }
        }
    }

    @Test("Packets are lost only where the kernel leaves no choice")
    func packetsAreKept() throws {
        let inOneNetem: Set = ["duplicate", "duplicate-with-bandwidth"]
        let managed: Set = ["codel", "fq_codel", "pie", "asymmetric"]
        let withDNS: Set = ["dns", "dns-with-loss", "asymmetric"]
        let ordinary = Self.names.filter { !inOneNetem.contains($0) && !managed.contains($0) }
        for old in ordinary {
            let before = try Plans.conditioned(old)
            for new in ordinary where withDNS.contains(old) || !withDNS.contains(new) {
                var kernel = before
                kernel.execute(try Self.change(kernel, to: new).allOperations)
                let births = Set(kernel.standing.map(\.birth))
                #expect(
                    before.standing.allSatisfy { births.contains($0.birth) }, "\(old) to \(new)")
            }
        }
    }

    @Test("The same shape takes one step for each qdisc or its classes, and one for the mark")
    func sameShape() throws {
        for name in Self.names {
            let kernel = try Plans.conditioned(name)
            let plan = try Self.change(kernel, to: name)
            let trees = try Plans.planned(name).map(\.tree)
            let steps = trees.reduce(0) { $0 + $1.qdiscs.count + 1 }
            #expect(plan.allOperations.count == steps, "\(name)")
            for operation in plan.allOperations {
                switch operation {
                case .replaceQdisc, .replaceClass, .bringUp: break
                default: Issue.record("\(name): \(operation.commandText)")
                }
            }
        }
    }

    @Test("Another shape takes no more steps than its parts and what has to go")
    func otherShapes() throws {
        for old in Self.names {
            let kernel = try Plans.conditioned(old)
            for new in Self.names {
                let plan = try Self.change(kernel, to: new)
                let found = kernel.found(Plans.ethernet)
                let parts = try Plans.planned(new, replacing: found).reduce(0) {
                    $0 + $1.tree.qdiscs.count + $1.tree.classes.count + $1.tree.filters.count + 1
                }
                let deletions = plan.allOperations.count { operation in
                    if case .deleteQdisc = operation { true } else { false }
                }
                #expect(deletions <= 2, "\(old) to \(new)")
                #expect(plan.allOperations.count <= parts + deletions, "\(old) to \(new)")
            }
        }
    }

    @Test("A direction is added to one that is conditioned, and taken away again")
    func directions() throws {
        for name in Self.names {
            for direction in Direction.allCases {
                var kernel = try Plans.conditioned("lte", [direction])
                let old = kernel.picture
                #expect(
                    kernel.execute(try Self.change(kernel, to: name).allOperations).isEmpty)
                let reported = SampleConditions[name].asReported
                #expect(Self.conditions(kernel) == [.up: reported.up, .down: reported.down])
                let back = try Self.change(kernel, to: "lte", [direction])
                #expect(!back.removals.isEmpty)
                #expect(kernel.execute(back.allOperations).isEmpty)
                #expect(kernel.ifbs == old.ifbs, "\(name)")
                let lte = SampleConditions.lte.asReported
                #expect(Self.conditions(kernel) == [direction: direction.conditions(of: lte)])
            }
        }
    }

    @Test("The mark says when and what, and whose hook it is, after a change")
    func marks() throws {
        var kernel = try Plans.conditioned("lte")
        kernel.execute(
            InterfacePlan.change(
                Plans.eth0, from: kernel.found(Plans.ethernet),
                to: try Plans.planned("lossy", now: 99), hook: kernel.hook(of: Plans.eth0)
            ).allOperations)
        let marks = kernel.found(Plans.ethernet).map(\.mark)
        #expect(marks.map(\.profile) == ["lossy", "lossy"])
        #expect(marks.map(\.since) == [99, 99])
        #expect(marks.map(\.madeClsact) == [true, true])
    }

    // MARK: Restoration

    @Test(
        "Whichever step is refused, the restoration brings the old state back",
        arguments: [false, true])
    func restoration(halfDone: Bool) throws {
        for old in Self.names {
            let before = try Plans.conditioned(old)
            for new in Self.names {
                let plan = try Self.change(before, to: new)
                for index in plan.operations.indices {
                    var operations = plan.operations
                    // A refused change may have been applied in part.
                    if !halfDone { operations.remove(at: index) }
                    var kernel = before
                    kernel.execute(operations)
                    let restoration = try #require(plan.restoration)
                    let refusals = kernel.execute(restoration).filter {
                        !restoration[$0.index].isDeletion
                    }
                    let step = plan.operations[index].commandText
                    #expect(refusals.isEmpty, "\(old) to \(new), \(step): \(refusals)")
                    #expect(kernel.picture == before.picture, "\(old) to \(new), \(step)")
                }
            }
        }
    }

    @Test("Whichever step of an added direction is refused, it vanishes")
    func restorationOfAdditions() throws {
        for name in Self.names {
            let before = try Plans.conditioned("lte", [.up])
            let plan = try Self.change(before, to: name)
            for index in plan.operations.indices {
                var operations = plan.operations
                operations.remove(at: index)
                var kernel = before
                kernel.execute(operations)
                kernel.execute(try #require(plan.restoration))
                #expect(
                    kernel.picture == before.picture,
                    "\(name): \(plan.operations[index].commandText)")
            }
        }
    }
}

extension TrafficOperation {
    fileprivate var isDeletion: Bool {
        switch self {
        case .deleteLink, .deleteOwnLinks, .deleteQdisc, .deleteFilters: true
        default: false
        }
    }
}
