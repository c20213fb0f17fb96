import DataPlane
import LinkModel
import LinuxKernel
import Netlink
import PacketLoop
import SystemPackage
import TrafficControl

/// Creates and removes redirects.
struct RedirectMaker {
    let session: NetlinkSession
    /// Until when the hooks redirect packets.
    var lease = RedirectLease()

    /// Creates the veth pair of a redirect and the loop at its end, which carries nothing until the
    /// hooks redirect packets.
    func make(
        _ redirect: Redirect, _ request: ApplyRequest, _ traces: LinkTraces, seed: UInt64
    ) throws(EngineError) -> InterfaceEmulation.Way {
        try removeLeftover(redirect)
        let mark = RedirectMark(request, on: redirect.target.index)
        do {
            try makeWire(redirect, mark)
            guard let near = try session.link(named: redirect.near),
                let far = try session.link(named: redirect.far)
            else { throw EngineError.vanished(redirect.near) }
            let ends = Redirect.Ends(near: near.index, far: far.index)
            try run(redirect.steps(ends), redirect)
            let claim = try claim(redirect, ends)
            Link.cutForPacketSockets(sentBy: [ends.near])
            let loop = try makeLoop(redirect, ends, request, traces, seed: seed)
            try loop.start()
            return InterfaceEmulation.Way(redirect: redirect, ends: ends, claim: claim, loop: loop)
        } catch {
            if let link = try? session.link(named: redirect.near), link.isOwn {
                _ = try? session.execute([Link.delete(index: link.index)])
            }
            throw error as? EngineError
                ?? EngineError("\(redirect.target): \(error); nothing was changed")
        }
    }

    private func makeWire(_ redirect: Redirect, _ mark: RedirectMark) throws(EngineError) {
        var steps = redirect.wire(mark)
        do {
            // An interface of another program with the name would get the alias.
            if try session.link(named: redirect.near) != nil { steps = [steps[0]] }
        } catch {
            throw EngineError("\(redirect.target): \(error); nothing was changed")
        }
        try run(steps, redirect)
    }

    /// Makes packets to the interface's address count as for this host; nil if the near end has that
    /// address itself, for want of eBPF filters, or needs none.
    private func claim(
        _ redirect: Redirect, _ ends: Redirect.Ends
    ) throws(NetlinkError) -> PacketClaim? {
        guard redirect.needsClaim else { return nil }
        if let claim = try? PacketClaim(redirect.address),
            try session.execute([redirect.claim(ends, claim.program).add()]).isEmpty
        {
            return claim
        }
        try session.execute(
            Link.setAddress(index: ends.near, redirect.address),
            attempt: "give \(redirect.near) the address of \(redirect.target)")
        return nil
    }

    private func makeLoop(
        _ redirect: Redirect, _ ends: Redirect.Ends, _ request: ApplyRequest, _ traces: LinkTraces,
        seed: UInt64
    ) throws(KernelError) -> RedirectLoop {
        guard redirect.isOfLoopback else {
            return try RedirectLoop(
                request.linkDirection(of: redirect.direction), from: ends.far,
                to: redirect.exit(ends),
                framing: redirect.framing,
                conditions: request.conditions, traces: traces, seed: seed, lease: lease)
        }
        let loop = try RedirectLoop(
            redirect.direction, ofLoopbackFrom: ends.far, mark: Redirect.mark,
            conditions: request.conditions, traces: traces, seed: seed, lease: lease)
        loop.setPassesOthers(request.directions == [redirect.direction])
        return loop
    }

    private func run(_ steps: [Redirect.Step], _ redirect: Redirect) throws(EngineError) {
        do {
            let failures = try session.execute(steps.map(\.message))
            if let failure = failures.first(where: { !steps[$0.index].isOptional }) {
                throw EngineError(Self.text(of: failure, at: steps[failure.index], redirect))
            }
        } catch {
            throw error as? EngineError
                ?? EngineError("\(redirect.target): \(error); nothing was changed")
        }
    }

    private static func text(
        of failure: BatchFailure, at step: Redirect.Step, _ redirect: Redirect
    ) -> String {
        let reason = failure.kernelText.map { "\($0) (\(failure.errno))" } ?? "\(failure.errno)"
        return "\(redirect.target): the kernel refuses \"\(step.command)\": \(reason); nothing was "
            + "changed"
    }

    /// Removes the veth pairs of ways that receive nothing any more, whatever they are called now.
    /// Missing ones are no error.
    func remove(_ ways: [InterfaceEmulation.Way]) {
        guard !ways.isEmpty, let links = try? session.links() else { return }
        let ends = Set(ways.map(\.ends.near))
        remove(links.filter { ends.contains($0.index) && RedirectMark($0) != nil }, of: links)
    }

    /// Removes veth pairs by their near ends, which are among `links`, all of the namespace.
    func remove(_ ends: [Link], of links: [Link]) {
        let group = links.filter(\.isOwn)
        // The kernel takes as long for one interface as for a whole group of hundreds. The kernel
        // data plane uses the same group, but no veth pairs.
        let isAll =
            group.count == 2 * ends.count && group.allSatisfy { $0.kind == "veth" }
            && ends.allSatisfy(\.isOwn)
        let messages =
            isAll && !ends.isEmpty
            ? [Link.delete(group: Link.ownGroup)] : ends.map { Link.delete(index: $0.index) }
        _ = try? session.execute(messages)
    }

    /// Removes the veth pair that a killed engine has left, in whatever state, but no other
    /// program's.
    private func removeLeftover(_ redirect: Redirect) throws(EngineError) {
        do {
            guard let link = try session.link(named: redirect.near),
                RedirectMark(link) != nil
            else { return }
            try session.execute(
                Link.delete(index: link.index), attempt: "take \(link.name) away")
        } catch {
            throw EngineError("\(redirect.target): \(error)")
        }
    }
}
