public import LinkModel

/// What to record of a run.
public struct RecordingRequest: Sendable {
    /// The pcapng file of packets with their fate; nil: not requested.
    public var capture: OutputFile?
    /// The log with a line for each packet; nil: not requested.
    public var log: OutputFile?
    /// The program that a capture names, with its version.
    public var application = "linkcond"
    /// Whether to collect the link's statistics.
    public var wantsStatistics = false
    /// Whether to collect them over time as well.
    public var wantsSamples = false
    /// Whether to count the command's network use while its path is constrained.
    public var wantsConstrainedUse = false
    /// Whether to judge by the command's processor time as well whether the machine was too busy.
    public var wantsProcessorUse = false
    /// The recorded links; at least one.
    public var links = [ObservedLink(conditions: LinkConditions())]

    /// Makes a request for nothing.
    public init() {}

    /// Whether to record packets, which only the packet engine can do.
    public var wantsPackets: Bool { capture != nil || log != nil }

    /// Whether to record anything.
    public var isWanted: Bool {
        wantsPackets || wantsStatistics || wantsSamples || wantsConstrainedUse || wantsProcessorUse
    }
}

/// A link as described in recordings of its packets.
public struct ObservedLink: Sendable, Hashable {
    /// The name of the app's interface; empty if there is only one.
    public var name: String
    /// Its conditions.
    public var conditions: LinkConditions
    /// The conditions from the app to the network, for people.
    public var upDescription: String
    /// The conditions from the network to the app, for people.
    public var downDescription: String

    /// Describes a link.
    public init(
        name: String = "", conditions: LinkConditions, upDescription: String = "",
        downDescription: String = ""
    ) {
        self.name = name
        self.conditions = conditions
        self.upDescription = upDescription
        self.downDescription = downDescription
    }

    /// The name of a direction in a capture file.
    func name(of direction: Direction) -> String {
        name.isEmpty ? direction.rawValue : "\(name) \(direction.rawValue)"
    }
}
