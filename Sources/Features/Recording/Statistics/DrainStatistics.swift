/// What happened to data in flight when the command of a run ended.
public struct DrainStatistics: Codable, Sendable, Hashable {
    /// How long it was waited for.
    public var seconds = 0.0
    /// Connections reset because their last data or their end did not reach the peer.
    public var undeliveredConnections = 0
    /// Packets toward the network still on a link when the wait ended.
    public var undeliveredPackets: UInt64 = 0

    /// Makes statistics without anything that did not arrive.
    public init() {}

    /// A note for the user; nil if everything arrived.
    public var note: String? {
        func count(_ number: some BinaryInteger, _ noun: String) -> String? {
            number > 0 ? "\(number) \(noun)\(number == 1 ? "" : "s")" : nil
        }
        let parts = [
            count(undeliveredConnections, "connection").map {
                "\($0) of the command did not come to an end and "
                    + "\(undeliveredConnections == 1 ? "was" : "were") reset"
            },
            count(undeliveredPackets, "packet").map {
                "\($0) to the network \(undeliveredPackets == 1 ? "was" : "were") still on the link"
            },
        ].compactMap(\.self)
        guard !parts.isEmpty else { return nil }
        return "not all that the command had sent has arrived: "
            + parts.joined(separator: ", ")
    }
}
