import DataPlane
import LinkModel
import LinuxKernel
import Netlink
import PacketLoop
import SystemPackage
import TrafficControl

/// Makes detours, and takes them away.
struct DetourMaker {
    let session: NetlinkSession

    /// Makes the wire of a detour and the loop at its end, which carries nothing yet because
    /// nothing comes.
    func make(
        _ detour: Detour, _ request: ApplyRequest, _ traces: LinkTraces, seed: UInt64
    ) throws(EngineError) -> Appliance.Way {
        try removeLeftover(detour)
        let mark = DetourMark(request, on: detour.target.index)
        do {
            try run(detour.wire(mark), detour)
            guard let near = try session.link(named: detour.near),
                let far = try session.link(named: detour.far)
            else { throw EngineError.vanished(detour.near) }
            let ends = Detour.Ends(near: near.index, far: far.index)
            try run(detour.steps(ends), detour)
            let loop = try makeLoop(detour, ends, request, traces, seed: seed)
            try loop.start()
            return Appliance.Way(detour: detour, ends: ends, loop: loop)
        } catch {
            remove([detour])
            throw error as? EngineError
                ?? EngineError("\(detour.target): \(error); nothing was changed")
        }
    }

    private func makeLoop(
        _ detour: Detour, _ ends: Detour.Ends, _ request: ApplyRequest, _ traces: LinkTraces,
        seed: UInt64
    ) throws(KernelError) -> DetourLoop {
        guard detour.isOfLoopback else {
            return try DetourLoop(
                detour.direction, from: ends.far, to: detour.exit(ends), framing: detour.framing,
                conditions: request.conditions, traces: traces, seed: seed)
        }
        let loop = try DetourLoop(
            detour.direction, ofLoopbackFrom: ends.far, mark: Detour.mark,
            conditions: request.conditions, traces: traces, seed: seed)
        loop.setPassesOthers(request.directions == [detour.direction])
        return loop
    }

    private func run(_ steps: [Detour.Step], _ detour: Detour) throws(EngineError) {
        do {
            let failures = try session.execute(steps.map(\.message))
            if let failure = failures.first(where: { !steps[$0.index].isOptional }) {
                throw EngineError(Self.text(of: failure, at: steps[failure.index], detour))
            }
        } catch {
            throw error as? EngineError
                ?? EngineError("\(detour.target): \(error); nothing was changed")
        }
    }

    private static func text(
        of failure: BatchFailure, at step: Detour.Step, _ detour: Detour
    ) -> String {
        let reason = failure.kernelText.map { "\($0) (\(failure.errno))" } ?? "\(failure.errno)"
        return "\(detour.target): the kernel refuses \"\(step.command)\": \(reason); nothing was "
            + "changed"
    }

    /// Takes away the wires of detours that nothing is sent to any more. What is gone already is
    /// no fault.
    func remove(_ detours: [Detour]) {
        guard !detours.isEmpty, let links = try? session.links() else { return }
        let names = Set(detours.map(\.near))
        remove(links.filter { $0.isOwn && names.contains($0.name) }, of: links)
    }

    /// Takes away wires by their near ends, which are among `links`, all of the namespace.
    func remove(_ ends: [Link], of links: [Link]) {
        let group = links.filter(\.isOwn)
        // The kernel takes as long for one as for hundreds at once. The group is also that of the
        // kernel's data plane, which has no wires.
        let isAll = group.count == 2 * ends.count && group.allSatisfy { $0.kind == "veth" }
        let messages =
            isAll && !ends.isEmpty
            ? [Link.delete(group: Link.ownGroup)] : ends.map { Link.delete(index: $0.index) }
        _ = try? session.execute(messages)
    }

    /// Takes away the wire that an engine has left that was killed, whatever it had made of it by
    /// then, but no other program's.
    private func removeLeftover(_ detour: Detour) throws(EngineError) {
        do {
            guard let link = try session.link(named: detour.near),
                Detour.target(ofNearEnd: link) != nil
            else { return }
            try session.execute(
                Link.delete(index: link.index), attempt: "take \(link.name) away")
        } catch {
            throw EngineError("\(detour.target): \(error)")
        }
    }
}
