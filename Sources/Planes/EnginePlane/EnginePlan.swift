import DataPlane
import LinkModel
import LinuxKernel
import Netlink
import TrafficControl

/// What the engine would do, as text.
enum EnginePlan {
    /// Shell commands that create the veth pairs and hooks of a request, in addition to the
    /// existing conditions. The process that carries packets between the ends is not among them.
    static func script(
        _ request: ApplyRequest, _ links: [Link], beside standing: [ConditionedInterface]
    ) throws(EngineError) -> String {
        let kind = HookProbe.likelyKind
        var parts: [String] = []
        for link in links {
            let link = try EngineState.check(link, link.index)
            parts.append(
                try script(request, link, standing.filter { $0.index == link.index }, kind))
        }
        return parts.joined(separator: "\n")
    }

    private static func script(
        _ request: ApplyRequest, _ link: Link, _ standing: [ConditionedInterface],
        _ kind: HookKind
    ) throws(EngineError) -> String {
        let target = Interface(index: link.index, name: link.name)
        let former = standing.first { $0.name == request.name }
        if let former, !request.replaces {
            throw .alreadyConditioned(
                link.name, name: request.name, profile: former.profile)
        }
        let slot = try request.slot(
            on: link.name, former: former?.slot, beside: Set(standing.map(\.slot)))
        let redirects = Redirect.all(of: request, on: link, slot: slot)
        // The texts refer to interfaces by name.
        let ends = Redirect.Ends(near: 0, far: 0)
        let mark = RedirectMark(request, on: link.index)
        let wires = redirects.filter { former?.directions[$0.direction] == nil }.flatMap {
            redirect in
            (redirect.wire(mark) + redirect.steps(ends)).map(\.command)
                + (redirect.needsClaim ? [redirect.claimText] : [])
        }
        let carriers = redirects.map { redirect in
            ShellWord.comment(
                "the packet engine: from \(redirect.far) to "
                    + (redirect.isOfLoopback
                        ? "a raw socket" : redirect.direction == .up ? target.name : redirect.far)
                    + ", mark 0x" + String(Redirect.mark, radix: 16))
        }
        let table = HookTable(
            target: target,
            ways: redirects.compactMap {
                HookTable.Way.present($0, request.selector, request.selector.addresses)
            })
        let others = standing.filter { $0.name != request.name }.map {
            ShellWord.comment(
                "and the rules of the conditions called \($0.name), which stand there already")
        }
        let programs = request.selector.included.processes.map { name in
            ShellWord.comment(
                "two programs (eBPF) at the root of the control groups: one notes which sockets "
                    + "\(name) opens, one marks what these send")
        }
        let hooks =
            switch kind {
            case .nftables: "nft --interactive <<'EOF'\n\(table.addText)EOF\n"
            case .clsact where table.choosesOwners: throw .noOwners
            case .clsact: table.filterText
            }
        return ([ShellWord.comment(target.name)] + wires + carriers + others + programs + [hooks])
            .joined(
                separator: "\n")
    }
}
