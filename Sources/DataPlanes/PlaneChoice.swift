import Conditioner
import EngineService
import LinkModel
import LinuxKernel
import Netlink
import TrafficControl

/// Which data plane is to carry out a request, and why.
struct PlaneChoice: Sendable, Hashable {
    /// The kernel, or the engine.
    var isEngine: Bool
    /// Why, for people.
    var reason: String
    /// Whether the other one may take over if this one turns out to lack something.
    var isNegotiable = false
}

extension DataPlanes {
    /// Chooses by what was asked for and what conditions the interfaces already.
    func choose(
        _ request: ApplyRequest, on links: [Link], backend: Backend, seed: UInt64?
    ) throws -> PlaneChoice {
        let emulated = Set(try EngineClient.status()?.map(\.index) ?? [])
        let onEngine = links.first { emulated.contains($0.index) }
        let conditioned = Set(try conditioner.status().map(\.interface))
        let onKernel = links.first { conditioned.contains($0.name) }
        switch backend {
        case .engine:
            if let onKernel { throw Self.wrongPlane(onKernel.name, "the kernel's data plane") }
            return PlaneChoice(isEngine: true, reason: "as asked for")
        case .kernel:
            if let onEngine { throw Self.wrongPlane(onEngine.name, "the packet engine") }
            if seed != nil {
                throw EngineError(
                    "the kernel data plane cannot do --seed; leave out --seed or --backend kernel",
                    fault: .unavailable)
            }
            return PlaneChoice(isEngine: false, reason: "as asked for")
        case .auto:
            let needed = Self.engineReason(request.conditions, on: links, seed: seed)
            if let onEngine {
                if let onKernel { throw Self.wrongPlane(onKernel.name, "the kernel's data plane") }
                return PlaneChoice(isEngine: true, reason: "it conditions \(onEngine.name) already")
            }
            if let onKernel {
                if let needed {
                    throw Self.wrongPlane(onKernel.name, "the kernel's data plane", since: needed)
                }
                return PlaneChoice(
                    isEngine: false, reason: "it conditions \(onKernel.name) already")
            }
            if let needed {
                // What the kernel can do only worse is still better than nothing.
                let isNegotiable = Self.need(request.conditions, on: links, seed: seed) == nil
                return PlaneChoice(isEngine: true, reason: needed, isNegotiable: isNegotiable)
            }
            return PlaneChoice(
                isEngine: false, reason: "it can do all that was asked for", isNegotiable: true)
        }
    }

    /// All interfaces of a command are conditioned by the same data plane.
    private static func wrongPlane(
        _ name: String, _ plane: String, since reason: String? = nil
    ) -> EngineError {
        EngineError(
            "\(name): is conditioned by \(plane), which cannot be changed for the other one in "
                + "place\(reason.map { ", and \($0)" } ?? ""); use linkcond clear -i \(ShellWord(name)) first, "
                + "or leave it out here", fault: .usage)
    }

    /// Why the engine is to do it; nil if the kernel may.
    private static func engineReason(
        _ conditions: LinkConditions, on links: [Link], seed: UInt64?
    ) -> String? {
        need(conditions, on: links, seed: seed) ?? conditions.engineReason
    }

    /// Why only the engine will do; nil if the kernel can.
    private static func need(
        _ conditions: LinkConditions, on links: [Link], seed: UInt64?
    ) -> String? {
        if let need = conditions.needOfEngine { return need }
        if links.contains(where: \.isLoopback) {
            return "the kernel cannot tell on a loopback who asks and who answers"
        }
        return seed == nil ? nil : "the kernel does not take a seed"
    }

    /// What the kernel lacks for the engine to be the better choice; nil if that is not it.
    static func lack(_ error: ConditionerError) -> String? {
        switch error {
        case .missingFeatures, .unsupported, .ingressQdisc: error.description
        default: nil
        }
    }

    /// The features that the kernel lacks for some plans, as far as the caller may ask it.
    func missingFeatures(for plans: [InterfacePlan]) -> [KernelFeature] {
        guard Privilege.mayMakeNamespaces, let answers = try? FeatureProbe.run() else { return [] }
        let needed = Set(plans.flatMap(\.allOperations).compactMap(\.feature))
        return KernelFeature.allCases.filter { needed.contains($0) && answers[$0] == .missing }
    }
}
