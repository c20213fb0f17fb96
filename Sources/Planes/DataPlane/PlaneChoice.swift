public import LinkModel
public import Netlink

/// A demand on a data plane, with what decides which one can meet it.
public struct PlaneDemand: Sendable, Hashable {
    /// All conditions that the links will have, now or later.
    public var conditions: [LinkConditions]
    /// The interfaces, if they belong to a host.
    public var links: [Link] = []
    /// Whether the user gives a seed.
    public var hasSeed = false
    /// Whether the user says how late packets may be.
    public var measuresLateness = false
    /// Whether it matters whose packets they are.
    public var choosesOwners = false
    /// Whether the addresses of names have to be followed.
    public var followsNames = false
    /// Whether the verdict on each packet is to be recorded.
    public var recordsPackets = false

    /// Makes a demand for conditions.
    public init(_ conditions: [LinkConditions]) {
        self.conditions = conditions
    }
}

/// Why a data plane does not fit a demand.
public struct PlaneLack: Sendable, Hashable {
    /// The reason, for people.
    public var reason: String
    /// Whether it can meet the demand, only less exactly than another.
    public var isMinor: Bool

    /// Makes a reason.
    public init(_ reason: String, isMinor: Bool = false) {
        self.reason = reason
        self.isMinor = isMinor
    }
}

/// The data plane to use, and why.
public struct PlaneChoice: Sendable, Hashable {
    /// The data plane.
    public var kind: DataPlaneKind
    /// The reason, for people.
    public var reason: String
    /// Whether the other data plane may take over if this one turns out to lack something.
    public var isNegotiable = false
    /// What it does less exactly than the other data plane, which is not available here.
    public var drawback: String?

    /// Makes a choice that was already made elsewhere.
    public init(_ kind: DataPlaneKind, since reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// Chooses the kernel data plane if it can meet the whole demand, else the packet engine.
    ///
    /// - Parameters:
    ///   - kernelLack: what the kernel data plane lacks; called only if it matters.
    ///   - engineLack: what the engine lacks; in a sandbox it lacks nothing.
    public init(
        _ backend: Backend, kernelLacks kernelLack: @autoclosure () -> PlaneLack?,
        engineLacks engineLack: @autoclosure () -> PlaneLack? = nil
    ) {
        switch backend {
        case .kernel: self.init(.kernel, since: "as asked for")
        case .engine: self.init(.engine, since: "as asked for")
        case .auto:
            guard let lack = kernelLack() else {
                self.init(.kernel, since: "it can do all that was asked for")
                isNegotiable = true
                return
            }
            // A less exact kernel data plane is better than none.
            if lack.isMinor, let other = engineLack() {
                self.init(.kernel, since: other.reason)
                drawback = lack.reason
            } else {
                self.init(.engine, since: lack.reason)
                isNegotiable = lack.isMinor
            }
        }
    }

    /// For people: `packet engine: as asked for`.
    public var explanation: String { "\(kind.title): \(reason)" }
}
