public import DataPlane
public import Netlink

extension KernelPlane {
    /// Conditions interfaces of a network namespace that ends with the caller, each as its request
    /// wants it: all of them, or none.
    ///
    /// Nothing is recorded for a later `clear`, so that no right to write files is needed;
    /// otherwise as `apply`.
    public func applyTransiently(
        _ requests: [(request: ApplyRequest, link: Link)]
    ) throws(KernelPlaneError) {
        var plans: [InterfacePlan] = []
        for (request, link) in requests { plans += try plan(request, on: [link]) }
        try PlanExecutor(session: session).run(plans)
    }
}
