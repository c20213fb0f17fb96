import LinkModel
public import Netlink
import TrafficControl

/// What the engine would do, as text.
public enum EnginePlan {
    /// Commands for a shell that make the wires and hooks of a request. Who carries the packets
    /// from one end of them to the other is not among them.
    public static func script(
        _ request: EngineRequest, _ links: [Link]
    ) throws(EngineError) -> String {
        var parts: [String] = []
        for link in links {
            _ = try EngineRoom.check(link, link.index)
            parts.append(script(request, link))
        }
        return parts.joined(separator: "\n")
    }

    private static func script(_ request: EngineRequest, _ link: Link) -> String {
        let target = Interface(index: link.index, name: link.name)
        let mark = DetourMark(
            target: link.index, since: request.now, name: request.name, profile: request.profile)
        let detours = Direction.allCases.filter(request.directions.contains).map { direction in
            Detour(target: target, address: link.address, direction: direction)
        }
        // The texts name interfaces by their names.
        let ends = Detour.Ends(near: 0, far: 0)
        let wires = detours.flatMap { detour in
            [detour.wire.command] + detour.steps(ends, mark: mark).map(\.command)
        }
        let carriers = detours.map { detour in
            "# the packet engine: from \(detour.far) to "
                + (detour.isOfLoopback
                    ? "a raw socket" : detour.direction == .up ? target.name : detour.far)
                + ", mark 0x"
                + String(Detour.mark, radix: 16)
        }
        let table = HookTable(
            target: target,
            ways: detours.map { HookTable.Way(detour: $0, traffic: request.traffic) })
        return (["# \(target)"] + wires + carriers + ["nft --interactive <<'EOF'"])
            .joined(separator: "\n") + "\n\(table.addText)EOF\n"
    }
}
