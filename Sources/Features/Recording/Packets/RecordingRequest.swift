public import LinkModel

/// What is to be written down of a run.
public struct RecordingRequest: Sendable {
    /// Packets with the link's verdict on each, as pcapng; nil: not asked for.
    public var capture: OutputFile?
    /// One line for each packet; nil: not asked for.
    public var log: OutputFile?
    /// Whether the link's statistics are wanted.
    public var wantsStatistics = false
    /// Whether the statistics are also wanted over time.
    public var wantsSamples = false
    /// Whether it is wanted what the command asks of the network while its path is constrained.
    public var wantsConstrainedUse = false
    /// The links on which packets are; at least one.
    public var links = [ObservedLink(conditions: LinkConditions())]

    /// Asks for nothing.
    public init() {}

    /// Whether something is to be written for each packet, which only the packet engine can do.
    public var wantsPackets: Bool { capture != nil || log != nil }
}

/// A link, as what is written down of its packets describes it.
public struct ObservedLink: Sendable, Hashable {
    /// The name of the app's interface; empty where there is no other.
    public var name: String
    /// What it does.
    public var conditions: LinkConditions
    /// What it does from the app to the network, for people.
    public var upDescription: String
    /// What it does from the network to the app, for people.
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

    /// What a capture file calls a direction of it.
    func name(of direction: Direction) -> String {
        name.isEmpty ? direction.rawValue : "\(name) \(direction.rawValue)"
    }
}
