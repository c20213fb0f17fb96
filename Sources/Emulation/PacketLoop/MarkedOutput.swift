/// Where frames leave that filters are to tell from others.
public struct MarkedOutput: Sendable, Hashable {
    /// The index of the interface.
    public var interface: Int32
    /// The mark of the frames (`SO_MARK`).
    public var mark: UInt32
    /// Whether frames go round the queueing discipline of the interface. Only where there is none
    /// worth keeping, and the interface takes all kinds of super-packets.
    public var bypassesQdisc: Bool

    /// Names an exit.
    public init(interface: Int32, mark: UInt32, bypassesQdisc: Bool) {
        self.interface = interface
        self.mark = mark
        self.bypassesQdisc = bypassesQdisc
    }
}
