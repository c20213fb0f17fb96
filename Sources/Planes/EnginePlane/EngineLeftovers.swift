import DataPlane
import LinuxKernel
import Netlink

/// An interface whose packets went through an engine that was killed. They are unconditioned now.
struct EngineLeftover: Hashable {
    /// Its name, or its former index if it is gone.
    var interface: String
    /// The mark of its veth pairs.
    var mark: RedirectMark
}

/// What the packet engine has in the network namespace of the calling thread, whether it is alive
/// or not.
enum EngineLeftovers {
    /// Interfaces with veth pairs of a dead engine; `live` are those of the running one. Requires
    /// no privilege.
    static func find(
        besides live: [ConditionedInterface]
    ) throws(NetlinkError) -> [EngineLeftover] {
        let links = try NetlinkSession().links()
        let names = Dictionary(links.map { ($0.index, $0.name) }) { first, _ in first }
        var found: [EngineLeftover] = []
        for (_, mark) in wires(links) {
            let isLive = live.contains { $0.index == mark.target && $0.name == mark.name }
            let leftover = EngineLeftover(
                interface: names[mark.target] ?? "index \(mark.target)", mark: mark)
            // Both directions have the same mark.
            if !isLive, !found.contains(leftover) { found.append(leftover) }
        }
        return found.sorted { ($0.interface, $0.mark.name) < ($1.interface, $1.mark.name) }
    }

    private static func wires(_ links: [Link]) -> [(link: Link, mark: RedirectMark)] {
        links.compactMap { link in
            RedirectMark(link).map { (link, $0) }
        }
    }

    /// Records the reason for an engine's end in the aliases of its veth pairs.
    static func mark(_ end: EngineEnd, _ session: NetlinkSession) {
        guard let links = try? session.links() else { return }
        let messages = wires(links).map { link, mark in
            var mark = mark
            mark.end = end
            return Link.setAlias(index: link.index, mark.alias)
        }
        if !messages.isEmpty { _ = try? session.execute(messages) }
    }

    /// Removes the conditions of the engine from interfaces (nil: all), whether it is alive, hangs
    /// or is dead; if `name` is given, only those of that name. Requires root.
    ///
    /// - Parameter answer: the conditions that the engine reported.
    /// - Returns: the names of the interfaces that had conditions, or veth pairs of a dead engine;
    ///   and of all conditions that existed.
    static func clear(
        _ indices: [Int32]?, name: String?,
        beside answer: Result<[ConditionedInterface], EngineError>
    ) throws(EngineError) -> (interfaces: [String], known: Set<String>) {
        var cleared: [String] = []
        var known: Set<String> = []
        do throws(EngineError) {
            let standing = try answer.get()
            known = Set(standing.map(\.name))
            let chosen = standing.filter {
                indices?.contains($0.index) ?? true && $0.name == name ?? $0.name
            }
            if !chosen.isEmpty {
                // If it ends before it replies, its conditions are leftovers, or gone.
                let removed = try EngineClient.remove(indices, name: name)
                cleared = (removed ?? chosen).map(\.interface)
            }
        } catch {
            switch error.fault {
            // A foreign process with the engine's name conditions nothing.
            case .stranger: break
            case .permission: throw error
            default: EngineClient.kill()
            }
        }
        do {
            let live = (try? EngineClient.status()) ?? []
            let leftovers = try find(besides: live)
            let targets = leftovers.filter {
                indices?.contains($0.mark.target) ?? true && $0.mark.name == name ?? $0.mark.name
            }
            let session = try NetlinkSession()
            let hooked = try HookFilters.removeLeftovers(
                session, from: indices.map(Set.init), besides: Set(live.map(\.index)))
            let links = try session.links()
            let names = links.filter { hooked.contains($0.index) }.map(\.name)
            let ends = wires(links).filter { _, mark in
                targets.contains { $0.mark.target == mark.target && $0.mark.name == mark.name }
            }
            RedirectMaker(session: session).remove(ends.map(\.link), of: links)
            return (
                Set(cleared + targets.map(\.interface) + names).sorted(),
                known.union(leftovers.map(\.mark.name))
            )
        } catch {
            throw EngineError("\(error)")
        }
    }
}
