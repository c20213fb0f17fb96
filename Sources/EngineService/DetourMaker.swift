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
        _ detour: Detour, _ request: EngineRequest, _ traces: LinkTraces, seed: UInt64
    ) throws(EngineError) -> Appliance.Way {
        try removeLeftover(detour)
        try run([detour.wire], detour)
        do {
            guard let near = try session.link(named: detour.near),
                let far = try session.link(named: detour.far)
            else { throw EngineError.vanished(detour.near) }
            let ends = Detour.Ends(near: near.index, far: far.index)
            let mark = DetourMark(
                target: detour.target.index, since: request.now, name: request.name,
                profile: request.profile)
            try run(detour.steps(ends, mark: mark), detour)
            let loop = try DetourLoop(
                detour.direction, from: ends.far, to: detour.exit(ends),
                conditions: request.conditions, traces: traces, seed: seed)
            try loop.start()
            return Appliance.Way(detour: detour, ends: ends, loop: loop)
        } catch {
            remove([detour])
            throw error as? EngineError
                ?? EngineError("\(detour.target): \(error); nothing was changed")
        }
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
        for detour in detours {
            guard let link = try? session.link(named: detour.near) else { continue }
            _ = try? session.execute([Link.delete(index: link.index)])
        }
    }

    /// Takes away the wire that an engine has left that was killed, but no other program's.
    private func removeLeftover(_ detour: Detour) throws(EngineError) {
        do {
            guard let link = try session.link(named: detour.near), link.group == Detour.group,
                DetourMark(alias: link.alias) != nil
            else { return }
            try session.execute(
                Link.delete(index: link.index), attempt: "take \(link.name) away")
        } catch {
            throw EngineError("\(detour.target): \(error)")
        }
    }
}
