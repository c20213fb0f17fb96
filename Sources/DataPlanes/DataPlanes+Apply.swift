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
    }

    /// Conditions all interfaces of the request, or none if one of them cannot be.
    ///
    /// Requires `CAP_NET_ADMIN`.
    public func apply(_ request: ApplyRequest, backend: Backend, seed: UInt64?) throws -> Outcome {
        guard Privilege.mayChangeNetwork else {
            throw ConditionerError.missingPrivilege("conditioning an interface")
        }
        let access = try ApplyLock()
        let links = try conditioner.links(of: request)
        var choice = try choose(request, on: links, backend: backend, seed: seed)
        if !choice.isEngine {
            do {
                let report = try conditioner.apply(request)
                return Outcome(
                    work: .kernel(report), explanation: "kernel data plane: \(choice.reason)")
            } catch {
                guard choice.isNegotiable, let lack = Self.lack(error) else { throw error }
                choice = PlaneChoice(isEngine: true, reason: lack)
            }
        }
        let former = engineWatchers
        let emulated = try EngineClient.apply(engineRequest(request, links, seed: seed))
        try dismiss(former)
        withExtendedLifetime(access) {}
        return Outcome(work: .engine(emulated), explanation: "packet engine: \(choice.reason)")
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
        return .engine(try EnginePlan.script(wanted, links))
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
            traffic: DetouredTraffic(
                selectors: request.selector.commandLine,
                isSelective: request.selector.isSelective,
                up: NftSelection(request.selector, .up).rules(chosen: DetouredTraffic.verdict),
                down: NftSelection(request.selector, .down).rules(chosen: DetouredTraffic.verdict)),
            interfaces: links.map(\.index),
            directions: request.directions, replaces: request.replaces, seed: seed,
            now: request.now, limit: request.limit.map(EngineLimit.init))
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
        guard case .kernel(let report) = work else { return [:] }
        return Dictionary(report.plans.map { ($0.interface.name, $0.precedents) }) { $0 + $1 }
    }
}
