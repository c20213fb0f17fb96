public import Conditioner
public import EngineService
import FoundationEssentials
import LinkModel
import LinuxKernel
import Netlink
import TrafficControl

extension DataPlanes {
    /// What `apply` did, or would do.
    public struct Outcome: Sendable {
        /// Who does it.
        public enum Work: Sendable {
            /// The kernel, by these plans.
            case kernel(ApplyReport)
            /// The engine, on these interfaces.
            case engine([EmulatedInterface])
        }

        /// Who does it.
        public var work: Work
        /// Which data plane it is and why, for people.
        public var explanation: String
        /// What the user should know, though it is done.
        public var remarks: [String]
        /// All that the engine conditions, in the order in which it chooses its packets.
        var standing: [EmulatedInterface] = []
    }

    /// Conditions all interfaces of the request, or none if one of them cannot be.
    ///
    /// Requires `CAP_NET_ADMIN`.
    public func apply(_ request: ApplyRequest, backend: Backend, seed: UInt64?) throws -> Outcome {
        guard Privilege.mayChangeNetwork else {
            throw ConditionerError.missingPrivilege("conditioning an interface")
        }
        let access = try applyLock()
        let links = try conditioner.links(of: request)
        var choice = try choose(request, on: links, backend: backend, seed: seed)
        let remarks = try Self.remarks(on: links)
        if !choice.isEngine {
            do {
                let report = try applyByKernel(request, on: links)
                return Outcome(
                    work: .kernel(report), explanation: "kernel data plane: \(choice.reason)",
                    remarks: remarks)
            } catch let error as ConditionerError {
                guard choice.isNegotiable, let lack = Self.lack(error) else { throw error }
                choice = PlaneChoice(isEngine: true, reason: lack)
            }
        }
        let former = engineWatchers
        let wanted = engineRequest(request, links, seed: seed)
        let standing: [EmulatedInterface]
        do {
            standing = try EngineClient.apply(wanted)
        } catch {
            guard choice.isNegotiable, error.fault == .unavailable,
                let report = try? applyByKernel(request, on: links)
            else { throw error }
            return Outcome(
                work: .kernel(report), explanation: "kernel data plane: \(error)",
                remarks: remarks + ["by the kernel's data plane, though \(choice.reason)"])
        }
        dismiss(former, living: standing)
        withExtendedLifetime(access) {}
        let emulated = standing.filter {
            wanted.interfaces.contains($0.index) && $0.name == wanted.name
        }
        return Outcome(
            work: .engine(emulated), explanation: "packet engine: \(choice.reason)",
            remarks: remarks, standing: standing)
    }

    /// Applies by the kernel, on interfaces that no engine conditions: what one left there that was
    /// killed has the names that are needed now.
    private func applyByKernel(
        _ request: ApplyRequest, on links: [Link]
    ) throws -> ApplyReport {
        let indices = links.map(\.index)
        if try EngineLeftovers.find(besides: []).contains(where: { indices.contains($0.index) }) {
            _ = try EngineLeftovers.clear(indices, name: nil)
        }
        return try conditioner.apply(request)
    }

    /// What would be done, as commands for a shell.
    public enum DryRun: Sendable {
        case kernel([InterfacePlan])
        case engine(String)
    }

    /// What `apply` would do. Needs no privilege and changes nothing; without one, what the
    /// kernel lacks is not known.
    public func dryRun(
        _ request: ApplyRequest, backend: Backend, seed: UInt64?
    ) throws -> DryRun {
        let links = try conditioner.links(of: request)
        let choice = try choose(request, on: links, backend: backend, seed: seed)
        if !choice.isEngine {
            do {
                let plans = try conditioner.plan(request)
                guard choice.isNegotiable, !missingFeatures(for: plans).isEmpty else {
                    return .kernel(plans)
                }
            } catch {
                guard choice.isNegotiable, Self.lack(error) != nil else { throw error }
            }
        }
        let wanted = engineRequest(request, links, seed: seed)
        return .engine(
            try EnginePlan.script(wanted, links, beside: EngineClient.status() ?? []))
    }

    private func engineRequest(
        _ request: ApplyRequest, _ links: [Link], seed: UInt64?
    ) -> EngineRequest {
        var conditions = request.conditions
        // The engine has a working directory of its own.
        let directory = FileManager.default.currentDirectoryPath
        func absolute(_ path: String) -> String {
            path.hasPrefix("/") ? path : "\(directory)/\(path)"
        }
        conditions.up.trace = conditions.up.trace.map(absolute)
        conditions.down.trace = conditions.down.trace.map(absolute)
        return EngineRequest(
            conditions: conditions, profile: request.profile, name: request.name,
            traffic: DetouredTraffic(request.selector), interfaces: links.map(\.index),
            directions: request.directions, replaces: request.replaces,
            isForced: request.isForced, seed: seed, now: request.now,
            limit: request.limit.map(EngineLimit.init))
    }
}

extension DataPlanes.Outcome {
    /// The names of the interfaces that are conditioned now.
    public var interfaces: [String] {
        switch work {
        case .kernel(let report): report.plans.map(\.interface.name)
        case .engine(let emulated): emulated.map(\.interface)
        }
    }

    /// The names of conditions that come first and keep what they choose as well, by interface.
    public var precedents: [String: [String]] {
        switch work {
        case .kernel(let report):
            Dictionary(report.plans.map { ($0.interface.name, $0.precedents) }) { $0 + $1 }
        case .engine(let emulated):
            Dictionary(
                emulated.map { ($0.interface, Self.precedents(of: $0, among: standing)) }
            ) { $0 + $1 }
        }
    }

    /// The names of conditions among `standing`, which are in the order in which they choose, that
    /// come before some others of their interface and may choose the same packets.
    private static func precedents(
        of conditions: EmulatedInterface, among standing: [EmulatedInterface]
    ) -> [String] {
        let selector = TrafficSelector(text: conditions.word)
        return standing.filter { $0.index == conditions.index }
            .prefix { $0.name != conditions.name }.filter { other in
                let isSameWay = other.ways.keys.contains(where: conditions.ways.keys.contains)
                guard isSameWay, let selector, let chosen = TrafficSelector(text: other.word)
                else { return isSameWay }
                return chosen.overlaps(selector)
            }.map(\.name)
    }
}
