import LinkUnits

/// What the header of a pcap file says (draft-ietf-opsawg-pcap, sections 4 and 5).
struct ClassicCapture: Sendable {
    static let recordHeader = 16

    let interface: CaptureInterface
    private let order: ByteOrder
    private let isNanoseconds: Bool

    /// Reads the first 24 bytes, which begin with the number of such files.
    init(_ bytes: Span<UInt8>) {
        let magic = ByteOrder.little.long(bytes, at: 0)
        order = [0xa1b2_c3d4, 0xa1b2_3c4d].contains(magic) ? .little : .big
        isNanoseconds = [0xa1b2_3c4d, 0x4d3c_b2a1].contains(magic)
        // The upper bits tell of checksums at the ends of frames.
        interface = CaptureInterface(
            linkTypeNumber: UInt16(truncatingIfNeeded: order.long(bytes, at: 20)))
    }

    /// When a packet was captured, how much of it, and how long it is.
    func record(_ bytes: Span<UInt8>) -> (time: Duration, captured: Int, original: Int) {
        let fraction = Int64(order.long(bytes, at: 4))
        let time =
            Duration.seconds(Int64(order.long(bytes, at: 0)))
            + (isNanoseconds ? .nanoseconds(fraction) : .microseconds(fraction))
        return (time, Int(order.long(bytes, at: 8)), Int(order.long(bytes, at: 12)))
    }
}
