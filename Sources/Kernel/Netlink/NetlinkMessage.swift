import CNetlink

/// A whole netlink message: header, fixed part, attributes. Its bytes can be compared, sent and
/// read, and hold no pointer.
public struct NetlinkMessage: Sendable, Hashable {
    /// The bytes as they cross the socket.
    public private(set) var bytes: [UInt8]

    /// Length of `struct nlmsghdr`, which is aligned.
    static let headerLength = MemoryLayout<nlmsghdr>.size

    init(bytes: [UInt8]) {
        precondition(bytes.count >= Self.headerLength, "a netlink message has a header")
        self.bytes = bytes
    }

    private var header: nlmsghdr { bytes.value(at: 0, as: nlmsghdr.self) ?? nlmsghdr() }

    /// What the message is, such as `RTM_NEWQDISC`.
    public var type: UInt16 { header.nlmsg_type }

    /// The flags of the header (`NLM_F_…`).
    public var flags: UInt16 {
        get { header.nlmsg_flags }
        set { bytes.setValue(newValue, at: 6) }
    }

    /// The number by which an answer names its request.
    public var sequence: UInt32 {
        get { header.nlmsg_seq }
        set { bytes.setValue(newValue, at: 8) }
    }

    /// What stands behind the header.
    public var payload: ArraySlice<UInt8> { bytes[Self.headerLength...] }

    /// The fixed part of type `Fixed` and the attributes behind it; nil if the message is shorter.
    public func parse<Fixed>(_: Fixed.Type) -> (fixed: Fixed, Attributes)? {
        guard let fixed = bytes.value(at: Self.headerLength, as: Fixed.self) else { return nil }
        let start = Self.headerLength + MemoryLayout<Fixed>.size.alignedForNetlink
        return (fixed, Attributes(bytes.dropFirst(start)))
    }

    /// The messages that one datagram holds; a damaged rest is left out.
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
    /// Rounded up to the four bytes on which netlink aligns messages and attributes.
    var alignedForNetlink: Int { (self + 3) & ~3 }
}
