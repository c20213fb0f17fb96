import LinuxKernel
import Netlink
import SystemPackage
import TrafficControl

/// A change to the filters of interfaces, and how to undo it.
struct ClassifierChange {
    private var messages: [NetlinkMessage]
    private var inverse: [NetlinkMessage]
    /// How many of the messages only delete what may already be gone.
    private var optional = 0

    /// Creates the hooks of an interface.
    static func makeHooks(_ interface: Interface) -> ClassifierChange {
        let clsact = Qdisc.clsact(on: interface)
        return ClassifierChange(messages: [clsact.add()], inverse: [clsact.delete()])
    }

    /// Drops packets at the far end of a veth pair; goes away with the pair.
    static func drain(_ end: Interface, _ drain: PacketDrain) -> ClassifierChange {
        let filter = ProgramFilter(
            interface: end, parent: .clsactIngress, preference: 1, program: drain.program,
            name: "linkcond, end")
        let clsact = Qdisc.clsact(on: end)
        return ClassifierChange(messages: [clsact.add(), filter.add()], inverse: [clsact.delete()])
    }

    /// Replaces filters by others; either list can be empty.
    static func replace(
        _ interface: Interface, _ place: HookPlace, _ old: [NetlinkMessage],
        by new: [NetlinkMessage]
    ) -> ClassifierChange {
        let deletion = Filter.delete(
            interface: interface, parent: place.hook, preference: place.preference)
        let before = old.isEmpty ? [] : [deletion]
        return ClassifierChange(
            messages: before + new, inverse: (new.isEmpty ? [] : [deletion]) + old,
            optional: before.count)
    }

    /// Deletes what may already be gone.
    static func remove(_ messages: [NetlinkMessage]) -> ClassifierChange {
        ClassifierChange(messages: messages, inverse: [], optional: messages.count)
    }

    /// Carries out all changes; if the kernel refuses a part, undoes everything and throws.
    static func carryOut(
        _ changes: [ClassifierChange], _ session: NetlinkSession
    ) throws(EngineError) {
        let failures: [BatchFailure]
        do {
            failures = try session.execute(changes.flatMap(\.messages))
        } catch {
            _ = try? session.execute(changes.reversed().flatMap(\.inverse))
            throw EngineError("\(error); nothing was changed")
        }
        let mayFail = changes.flatMap { change in
            change.messages.indices.map { $0 < change.optional }
        }
        guard let failure = failures.first(where: { !mayFail[$0.index] }) else { return }
        _ = try? session.execute(changes.reversed().flatMap(\.inverse))
        let reason = failure.kernelText.map { "\($0) (\(failure.errno))" } ?? "\(failure.errno)"
        throw failure.isLackOfCode
            ? .noFilters(reason)
            : EngineError("the kernel refuses the filters of the packet engine: \(reason)")
    }
}

extension BatchFailure {
    /// Whether the kernel was built without what it refuses. It explains errors since Linux 4.15.
    fileprivate var isLackOfCode: Bool {
        [
            "Specified qdisc kind is unknown", "TC classifier not found",
            "Failed to load TC action module",
        ].contains(kernelText) || kernelText == nil && errno == .noSuchFileOrDirectory
    }
}
