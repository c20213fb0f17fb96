/// Plans that were carried out.
public struct AppliedPlans: Sendable {
    /// What was carried out, one plan for each interface.
    public var plans: [InterfacePlan]
    /// How many system calls it took to send it all.
    public var sentDatagrams: Int

    /// How many netlink messages were sent.
    public var messageCount: Int { plans.reduce(0) { $0 + $1.allOperations.count } }
}
