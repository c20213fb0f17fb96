import LinuxKernel

/// The `virtio_net_hdr` in front of each frame: what a network card would be asked to do.
///
/// Its numbers are in host byte order (packet(7), `PACKET_VNET_HDR`).
struct VirtualHeader: Hashable {
    static let count = 10

    /// How the frame is split into packets.
    enum Segmentation: UInt8 {
        case none = 0
        case tcpIPv4 = 1
        case tcpIPv6 = 4
        case udp = 5
    }

    /// Whether the checksum field at `checksumStart` covers the pseudo-header only.
    var isChecksumPartial = false
    /// Whether the checksum was already verified.
    var isChecksumValid = false
    /// Nil for an unknown kind.
    var segmentation: Segmentation? = Segmentation.none
    /// Whether the first segment reports congestion (CWR) and the others do not.
    var isCongestionReported = false
    var headerLength: UInt16 = 0
    var segmentSize: UInt16 = 0
    var checksumStart: UInt16 = 0
    var checksumOffset: UInt16 = 0
}

extension VirtualHeader {
    private static let congestionBit: UInt8 = 0x80

    init(_ bytes: Span<UInt8>) {
        isChecksumPartial = bytes[0] & 1 != 0
        isChecksumValid = bytes[0] & 2 != 0
        segmentation = Segmentation(rawValue: bytes[1] & ~Self.congestionBit)
        isCongestionReported = bytes[1] & Self.congestionBit != 0
        headerLength = bytes.word(at: 2).machineOrder
        segmentSize = bytes.word(at: 4).machineOrder
        checksumStart = bytes.word(at: 6).machineOrder
        checksumOffset = bytes.word(at: 8).machineOrder
    }

    func write(to bytes: inout MutableSpan<UInt8>) {
        bytes[0] = (isChecksumPartial ? 1 : 0) | (isChecksumValid ? 2 : 0)
        bytes[1] =
            (segmentation ?? .none).rawValue | (isCongestionReported ? Self.congestionBit : 0)
        bytes.setWord(headerLength.machineOrder, at: 2)
        bytes.setWord(segmentSize.machineOrder, at: 4)
        bytes.setWord(checksumStart.machineOrder, at: 6)
        bytes.setWord(checksumOffset.machineOrder, at: 8)
    }

    /// Adjusts the offsets for this many bytes inserted after the header, or removed.
    static func shiftOffsets(by width: Int, in bytes: inout MutableSpan<UInt8>) {
        var virtual = VirtualHeader(bytes.span)
        let width = UInt16(truncatingIfNeeded: width)
        if virtual.isChecksumPartial { virtual.checksumStart &+= width }
        if virtual.headerLength > 0 { virtual.headerLength &+= width }
        virtual.write(to: &bytes)
    }
}

extension UInt16 {
    /// Converts between host and big-endian byte order.
    fileprivate var machineOrder: UInt16 { bigEndian }
}
