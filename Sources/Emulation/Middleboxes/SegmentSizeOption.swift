import LinuxKernel

/// The TCP option for the maximum segment size (RFC 9293, section 3.7.1).
package enum SegmentSizeOption {
    /// Lowers it in a packet that opens a connection; never raises it.
    ///
    /// - Parameters:
    ///   - limit: the most payload bytes of a segment.
    ///   - header: where the TCP header begins.
    ///   - end: where the packet ends.
    ///   - isUnfinished: whether the checksum covers the pseudo-header only, without this option.
    package static func limit(
        to limit: UInt16, at header: Int, end: Int, isUnfinished: Bool,
        in bytes: inout MutableSpan<UInt8>
    ) {
        let end = min(end, bytes.count)
        guard header + 20 <= end, bytes[header + 13] & 2 != 0 else { return }
        let optionsEnd = min(header + Int(bytes[header + 12] >> 4) * 4, end)
        var option = header + 20
        while option + 1 < optionsEnd {
            let (kind, length) = (bytes[option], Int(bytes[option + 1]))
            switch kind {
            case 0: return
            case 1: option += 1
            case 2 where length == 4 && option + 4 <= optionsEnd:
                lower(
                    to: limit, at: option + 2, header: header, isUnfinished: isUnfinished,
                    in: &bytes)
                return
            default:
                guard length >= 2 else { return }
                option += length
            }
        }
    }

    private static func lower(
        to limit: UInt16, at field: Int, header: Int, isUnfinished: Bool,
        in bytes: inout MutableSpan<UInt8>
    ) {
        let former = bytes.word(at: field)
        guard former > limit else { return }
        bytes.setWord(limit, at: field)
        guard !isUnfinished else { return }
        var sum = InternetChecksum()
        // RFC 1624, section 3. An option at an odd offset spans two words.
        let isSwapped = !(field - header).isMultiple(of: 2)
        sum.add(~bytes.word(at: header + 16))
        sum.add(isSwapped ? ~former.byteSwapped : ~former)
        sum.add(isSwapped ? limit.byteSwapped : limit)
        bytes.setWord(sum.complement, at: header + 16)
    }
}
