/// The plans that were carried out.
public struct AppliedPlans: Sendable {
    /// One plan for each interface.
    public var plans: [InterfacePlan]
    /// How many system calls sent them.
    public var sentDatagrams: Int

    /// How many netlink messages were sent.
    public var messageCount: Int { plans.reduce(0) { $0 + $1.allOperations.count } }
}
