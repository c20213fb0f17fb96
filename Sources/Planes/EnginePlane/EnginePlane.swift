public import DataPlane
import FoundationEssentials
public import LinkModel
public import Netlink

/// The data plane of the packet engine, for its clients in the calling thread's network namespace.
public struct EnginePlane: DataPlane {
    /// The packet engine.
    public let kind = DataPlaneKind.engine
    private let environment: [String: String]
    private let answer: Result<[ConditionedInterface], EngineError>

    /// Asks the engine, if it runs, what it conditions.
    public init(environment: [String: String]) {
        self.environment = environment
        do throws(EngineError) {
            answer = .success(try EngineClient.status() ?? [])
        } catch {
            answer = .failure(error)
        }
    }

    /// Checks the kinds of interfaces. Anything else that is missing shows only when tried.
    public func lack(for demand: PlaneDemand, _ state: HostState?) -> PlaneLack? {
        for link in demand.links {
            if let reason = EngineState.lack(link) { return PlaneLack("\(link.name): \(reason)") }
        }
        return nil
    }

    /// Those of `links` that a running engine conditions.
    public func conditioned(_ links: [Link]) throws -> Set<Int32> {
        Set(links.map(\.index)).intersection(try answer.get().map(\.index))
    }

    /// The commands that create veth pairs and hooks.
    public func script(_ request: ApplyRequest, on links: [Link]) throws -> String {
        try EnginePlan.script(request, links, beside: try answer.get())
    }

    /// Conditions all of `links`, or none; starts an engine if none runs.
    public func apply(
        _ request: ApplyRequest, on links: [Link], _ state: HostState
    ) throws -> ApplyReport {
        let former = Set(try watched().map(\.watcher))
        let indices = links.map(\.index)
        let standing = try EngineClient.apply(request.withAbsolutePaths, on: indices)
        let emulated = standing.filter { indices.contains($0.index) && $0.name == request.name }
        return ApplyReport(
            interfaces: emulated.map(\.interface),
            precedents: Dictionary(
                emulated.map { conditions in
                    let others = standing.filter { $0.index == conditions.index }
                    return (
                        conditions.interface,
                        Precedence(request, slot: conditions.slot)
                            .precedents(among: others.map(Precedence.init))
                    )
                }
            ) { $0 + $1 },
            formerWatchers: former)
    }

    /// Removes conditions, whether the engine is alive, hangs or is dead.
    public func clear(
        _ indices: Set<Int32>?, name: String?, _ state: HostState
    ) throws -> ClearReport {
        // Unknown if the engine hangs.
        let former = Set((try? watched().map(\.watcher)) ?? [])
        let (interfaces, names) = try EngineLeftovers.clear(
            indices.map { $0.sorted() }, name: name, beside: answer)
        return ClearReport(interfaces: interfaces, names: names, formerWatchers: former)
    }

    /// Removes the veth pairs and hooks of a killed engine.
    public func yield(_ links: [Link]) throws {
        let indices = links.map(\.index)
        let leftovers = try EngineLeftovers.find(besides: try answer.get())
        guard leftovers.contains(where: { indices.contains($0.mark.target) }) else { return }
        _ = try EngineLeftovers.clear(indices, name: nil, beside: answer)
    }

    /// The conditions of the running engine, and those of one that died.
    public func status() throws -> [ConditionedInterface] {
        switch answer {
        case .success(let standing):
            var (standing, leftovers) = (standing, try EngineLeftovers.find(besides: standing))
            if !leftovers.isEmpty {
                // Veth pairs may belong to conditions that were just being applied or cleared.
                standing = try EngineClient.status() ?? []
                leftovers = try EngineLeftovers.find(besides: standing)
            }
            for number in standing.indices where standing[number].problem == nil {
                standing[number].problem = standing[number].limit?.problem(environment)
            }
            return standing + leftovers.map { $0.status(nil) }
        case .failure(let obstacle):
            return try EngineLeftovers.find(besides: []).map { $0.status(obstacle) }
        }
    }

    /// The conditions of the engine, or those that it had before it was killed.
    public func watched() throws -> Set<WatchedConditions> { try watched(answer.get()) }

    private func watched(_ standing: [ConditionedInterface]) throws -> Set<WatchedConditions> {
        Set(
            standing.compactMap {
                WatchedConditions(index: $0.index, name: $0.name, limit: $0.limit)
            }
                + (try EngineLeftovers.find(besides: standing)).map(\.mark).compactMap {
                    WatchedConditions(index: $0.target, name: $0.name, limit: $0.limit)
                })
    }
}

extension ApplyRequest {
    /// The same request for a process with another working directory.
    fileprivate var withAbsolutePaths: ApplyRequest {
        let directory = FileManager.default.currentDirectoryPath
        func absolute(_ path: String) -> String {
            path.hasPrefix("/") ? path : "\(directory)/\(path)"
        }
        var request = self
        request.conditions.up.trace = conditions.up.trace.map(absolute)
        request.conditions.down.trace = conditions.down.trace.map(absolute)
        return request
    }
}

extension Precedence {
    /// The precedence of existing conditions.
    fileprivate init(_ standing: ConditionedInterface) {
        let selector = standing.selector
        self.init(
            name: standing.name, slot: standing.slot, selector: selector,
            isSelective: selector?.isSelective ?? false,
            directions: Set(standing.directions.keys))
    }
}

extension EngineLeftover {
    /// Their status; `obstacle` is why the engine does not reply.
    fileprivate func status(_ obstacle: EngineError?) -> ConditionedInterface {
        var status = ConditionedInterface(
            by: .engine, on: interface, index: mark.target, name: mark.name,
            profile: mark.profile, since: mark.since, limit: mark.limit)
        status.problem =
            obstacle?.description
            ?? "the packet engine \(fate), so that traffic is not conditioned any more; apply "
            + "again, or linkcond clear takes away what it left"
        return status
    }

    /// What happened to the engine, as text after its name.
    private var fate: String {
        switch mark.end {
        case nil: "has died"
        case .standstill: "stood still and was ended"
        case .guardian: "has ended because its guardian (linkcond-guard) was killed"
        case .hooks: "has ended because nft, by which it got its packets, was killed"
        }
    }
}
