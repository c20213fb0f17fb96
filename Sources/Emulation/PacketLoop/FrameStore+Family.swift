import LinuxKernel
import Middleboxes

/// Gives frames headers of the other family.
extension FrameStore {
    /// Replaces the IP header of a frame, or of a slot with the headers of some of its packets; false
    /// if it has no translation, and stays as it is.
    mutating func changeFamily(_ change: HeaderChange, of id: ID, network: Int) -> Bool {
        let start = VirtualHeader.count + network
        let (header, isError) = memory.withMutableBytes(in: self[id].range) {
            bytes -> (HeaderChange.NewHeader?, Bool) in
            let virtual = VirtualHeader(bytes.span)
            let fields = PacketFields(bytes.span.extracting(min(start, bytes.count)...))
            if fields?.isError == true { return (nil, true) }
            let isSuper = virtual.segmentation != VirtualHeader.Segmentation.none
            let header = change.newHeader(
                in: &bytes, at: start, isUnfinished: virtual.isChecksumPartial, isSuper: isSuper)
            return (header, false)
        }
        guard !isError else { return changeError(change, of: id, network: network) }
        guard let header else { return false }
        let difference = header.bytes.count - header.formerLength
        guard self[id].start >= difference else { return false }
        let lower = self[id].range.lowerBound
        memory.copy(lower..<lower + start, to: lower - difference)
        moveStart(of: id, by: -difference)
        memory.copy(header.bytes.span, to: lower - difference + start)
        memory.withMutableBytes(in: self[id].range) { bytes in
            Self.writeFamily(of: header.bytes, at: start, in: &bytes)
            VirtualHeader.shiftOffsets(by: difference, in: &bytes)
        }
        return true
    }

    /// Replaces a whole ICMP error.
    private mutating func changeError(_ change: HeaderChange, of id: ID, network: Int) -> Bool {
        let start = VirtualHeader.count + network
        let end = min(start + self[id].length, self[id].count)
        let packet = memory.withMutableBytes(in: self[id].range) { bytes -> [UInt8] in
            finishChecksum(in: &bytes, end: end)
            return start < end ? (start..<end).map { bytes[$0] } : []
        }
        guard let error = change.translatedError(packet),
            self[id].range.lowerBound + start + error.count <= room(of: id).upperBound
        else { return false }
        memory.copy(error.span, to: self[id].range.lowerBound + start)
        setCount(start + error.count, of: id)
        self[id].length = error.count
        memory.withMutableBytes(in: self[id].range) { bytes in
            Self.writeFamily(of: error, at: start, in: &bytes)
        }
        return true
    }

    /// Writes what the headers in front of an IP packet say of its family.
    private static func writeFamily(
        of packet: [UInt8], at start: Int, in bytes: inout MutableSpan<UInt8>
    ) {
        let isIPv6 = packet[0] >> 4 == 6
        if start >= VirtualHeader.count + 14 {
            bytes.setWord(isIPv6 ? 0x86dd : 0x0800, at: start - 2)
        }
        var virtual = VirtualHeader(bytes.span)
        switch virtual.segmentation {
        case .tcpIPv4, .tcpIPv6: virtual.segmentation = isIPv6 ? .tcpIPv6 : .tcpIPv4
        case .some(.none), .udp, nil: return
        }
        virtual.write(to: &bytes)
    }
}
