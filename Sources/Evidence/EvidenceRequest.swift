/// What is to be written down of a run.
public struct EvidenceRequest: Sendable {
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
    /// What the link does from the app to the network, for people.
    public var upDescription = ""
    /// What the link does from the network to the app, for people.
    public var downDescription = ""

    /// Asks for nothing.
    public init() {}

    /// Whether something is to be written for each packet, which only the packet engine can do.
    public var wantsPackets: Bool { capture != nil || log != nil }
}
