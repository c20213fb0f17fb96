import DataPlane
import EnginePlane
import KernelPlane
import LinkModel
import Netlink

/// The data planes of a host in its current state.
struct OpenPlanes {
    private let kernel: KernelPlane
    private let engine: EnginePlane

    init(_ environment: [String: String]) throws(KernelPlaneError) {
        kernel = try KernelPlane(environment: environment)
        engine = EnginePlane(environment: environment)
    }

    /// All of them. The engine comes first, so that a hang is noticed before anything is changed.
    var all: [any DataPlane] { [engine, kernel] }

    subscript(_ kind: DataPlaneKind) -> any DataPlane {
        switch kind {
        case .kernel: kernel
        case .engine: engine
        }
    }

    /// The data plane that may take over from another.
    func alternative(to kind: DataPlaneKind) -> any DataPlane {
        self[kind == .kernel ? .engine : .kernel]
    }

    /// Applies on one of them, after the others have removed their leftovers.
    func apply(
        _ request: ApplyRequest, on links: [Link], by kind: DataPlaneKind, _ state: HostState
    ) throws -> ApplyReport {
        for other in all where other.kind != kind { try other.yield(links) }
        return try self[kind].apply(request, on: links, state)
    }

    /// Chooses one by the request and by what already conditions the interfaces. One data plane
    /// conditions all interfaces of a command.
    func choose(
        _ request: ApplyRequest, on links: [Link], _ backend: Backend, _ state: HostState?
    ) throws -> PlaneChoice {
        guard request.conditions.middle == nil else { throw DataPlaneError.middlebox }
        if backend == .kernel, request.seed != nil {
            throw DataPlaneError.lacking(.kernel, option: "--seed")
        }
        let present = try present(on: links)
        if backend == .auto, let present, present.kind == .engine {
            // The engine can do all that the kernel can.
            return PlaneChoice(.engine, since: "it conditions \(present.interface) already")
        }
        var demand = PlaneDemand([request.conditions])
        demand.links = links
        demand.choosesOwners = request.selector.choosesOwners
        demand.followsNames = request.selector.hasNames
        demand.hasSeed = request.seed != nil
        let choice = PlaneChoice(
            backend, kernelLacks: kernel.lack(for: demand, state),
            engineLacks: engine.lack(for: demand, state))
        guard let present else { return choice }
        guard present.kind == choice.kind else {
            throw DataPlaneError.otherPlane(
                present.kind, interface: present.interface,
                since: backend == .auto ? choice.reason : nil)
        }
        return backend == .auto
            ? PlaneChoice(choice.kind, since: "it conditions \(present.interface) already")
            : choice
    }

    /// The data plane that already conditions some of `links`, and one of those.
    private func present(
        on links: [Link]
    ) throws -> (kind: DataPlaneKind, interface: String)? {
        var present: (kind: DataPlaneKind, interface: String)?
        for plane in all {
            let conditioned = try plane.conditioned(links)
            guard let link = links.first(where: { conditioned.contains($0.index) }) else {
                continue
            }
            guard present == nil else {
                throw DataPlaneError.otherPlane(plane.kind, interface: link.name, since: nil)
            }
            present = (plane.kind, link.name)
        }
        return present
    }
}
