import Netlink

extension Conditioner {
    /// Conditions interfaces of a network namespace that ends with the caller, as several requests
    /// want it: all of them, or none.
    ///
    /// Nothing is recorded for a later `clear`, so that no right to write files is needed;
    /// otherwise as `apply`.
    @discardableResult
    public func applyTransiently(
        _ requests: [ApplyRequest]
    ) throws(ConditionerError) -> ApplyReport {
        var plans: [InterfacePlan] = []
        for request in requests { plans += try plan(request) }
        let datagramsBefore = session.sentDatagrams
        try PlanExecutor(session: session).run(plans)
        return ApplyReport(plans: plans, sentDatagrams: session.sentDatagrams - datagramsBefore)
    }
}
