public import DataPlane
public import Netlink

extension KernelPlane {
    /// Conditions interfaces of a network namespace that ends with the caller, each by its own
    /// request: all of them, or none.
    ///
    /// Records nothing for a later `clear`, and so needs no permission to write files; otherwise
    /// like `apply`.
    public func applyTransiently(
        _ requests: [(request: ApplyRequest, link: Link)]
    ) throws(KernelPlaneError) {
        var plans: [InterfacePlan] = []
        for (request, link) in requests { plans += try plan(request, on: [link]) }
        try PlanExecutor(session: session).run(plans)
    }
}
