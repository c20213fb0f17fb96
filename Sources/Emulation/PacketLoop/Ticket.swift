/// A slot ID for the emulated link: a frame in the store, or one packet of a super-packet.
struct Ticket: Hashable {
    /// The frame.
    let frame: FrameStore.ID
    /// The packet in it; nil for the whole frame.
    let segment: Int?

    private static let whole: UInt32 = 0xfff

    init(frame: FrameStore.ID, segment: Int? = nil) {
        self.frame = frame
        self.segment = segment
    }

    init(slot: UInt32) {
        frame = slot >> 12
        segment = slot & Self.whole == Self.whole ? nil : Int(slot & Self.whole)
    }

    /// The slot of a `Packet`.
    var slot: UInt32 { frame << 12 | (segment.map { UInt32($0) } ?? Self.whole) }
}
