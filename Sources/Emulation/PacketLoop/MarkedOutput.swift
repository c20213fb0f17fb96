/// An output interface for frames that filters recognise by a mark.
public struct MarkedOutput: Sendable, Hashable {
    /// The index of the interface.
    public var interface: Int32
    /// The mark of the frames (`SO_MARK`).
    public var mark: UInt32
    /// Whether frames bypass the interface's qdisc. Only where there is no qdisc worth keeping, and
    /// the interface accepts all kinds of super-packets.
    public var bypassesQdisc: Bool

    /// Makes an output.
    public init(interface: Int32, mark: UInt32, bypassesQdisc: Bool) {
        self.interface = interface
        self.mark = mark
        self.bypassesQdisc = bypassesQdisc
    }
}
