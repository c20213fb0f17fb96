public import LinkModel
public import Netlink

/// What is asked of a data plane, as far as it decides which one can do it.
public struct PlaneDemand: Sendable, Hashable {
    /// All conditions that links are to have, now or later.
    public var conditions: [LinkConditions]
    /// The interfaces, where they are those of a host.
    public var links: [Link] = []
    /// Whether the user says where random numbers begin.
    public var hasSeed = false
    /// Whether the fate of each packet is to be written down.
    public var recordsPackets = false

    /// Asks for conditions.
    public init(_ conditions: [LinkConditions]) {
        self.conditions = conditions
    }
}

/// Why a data plane is not the one for what is asked.
public struct PlaneLack: Sendable, Hashable {
    /// Why, for people.
    public var reason: String
    /// Whether it can do it, only less exactly than another.
    public var isMinor: Bool

    /// Says why.
    public init(_ reason: String, isMinor: Bool = false) {
        self.reason = reason
        self.isMinor = isMinor
    }
}

/// Which data plane is to carry something out, and why: for all verbs alike.
public struct PlaneChoice: Sendable, Hashable {
    /// Which one.
    public var kind: DataPlaneKind
    /// Why, for people.
    public var reason: String
    /// Whether the other one may take over if this one turns out to lack something.
    public var isNegotiable = false
    /// What it does less exactly than the other one would, which cannot do it here.
    public var drawback: String?

    /// Makes a choice that somebody else has made.
    public init(_ kind: DataPlaneKind, since reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// Chooses: the kernel's where that can do all that is asked, else the packet engine.
    ///
    /// - Parameters:
    ///   - kernelLack: what the kernel's data plane lacks, if anybody asks.
    ///   - engineLack: what the engine lacks, which can do everything in a sandbox.
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
            // What the kernel can do only worse is still better than nothing.
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
