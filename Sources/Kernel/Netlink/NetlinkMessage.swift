import CNetlink

/// A whole netlink message: header, fixed part, attributes. It is plain bytes without pointers.
public struct NetlinkMessage: Sendable, Hashable {
    /// The bytes as the socket carries them.
    public private(set) var bytes: [UInt8]

    /// Length of `struct nlmsghdr`, which is aligned.
    static let headerLength = MemoryLayout<nlmsghdr>.size

    init(bytes: [UInt8]) {
        precondition(bytes.count >= Self.headerLength, "a netlink message has a header")
        self.bytes = bytes
    }

    private var header: nlmsghdr { bytes.value(at: 0, as: nlmsghdr.self) ?? nlmsghdr() }

    /// The message type, such as `RTM_NEWQDISC`.
    public var type: UInt16 { header.nlmsg_type }

    /// The flags of the header (`NLM_F_…`).
    public var flags: UInt16 {
        get { header.nlmsg_flags }
        set { bytes.setValue(newValue, at: 6) }
    }

    /// The sequence number, which a reply shares with its request.
    public var sequence: UInt32 {
        get { header.nlmsg_seq }
        set { bytes.setValue(newValue, at: 8) }
    }

    /// The bytes after the header.
    public var payload: ArraySlice<UInt8> { bytes[Self.headerLength...] }

    /// The fixed part of type `Fixed` and the attributes after it; nil if the message is shorter.
    public func parse<Fixed>(_: Fixed.Type) -> (fixed: Fixed, Attributes)? {
        guard let fixed = bytes.value(at: Self.headerLength, as: Fixed.self) else { return nil }
        let start = Self.headerLength + MemoryLayout<Fixed>.size.alignedForNetlink
        return (fixed, Attributes(bytes.dropFirst(start)))
    }

    /// The messages in one datagram, without a malformed rest.
    static func messages(in datagram: [UInt8]) -> [NetlinkMessage] {
        var messages: [NetlinkMessage] = []
        var offset = 0
        while let header = datagram.value(at: offset, as: nlmsghdr.self) {
            let length = Int(header.nlmsg_len)
            guard length >= headerLength, offset + length <= datagram.count else { break }
            messages.append(NetlinkMessage(bytes: Array(datagram[offset..<offset + length])))
            offset += length.alignedForNetlink
        }
        return messages
    }
}

extension Int {
    /// Rounded up to four bytes, the alignment of netlink messages and attributes.
    var alignedForNetlink: Int { (self + 3) & ~3 }
}
