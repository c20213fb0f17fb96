/// A part of a packet that a program compares.
public struct PacketField: Sendable, Hashable {
    /// The offset from the network header.
    public var offset: Int
    /// One, two or four bytes, in network byte order (big endian).
    public var size: Size
    /// The bits that count.
    public var mask: UInt32?

    /// How many bytes.
    public enum Size: Int, Sendable, Hashable {
        case byte = 1
        case half = 2
        case word = 4
    }

    /// Makes a field.
    public init(_ size: Size, at offset: Int, mask: UInt32? = nil) {
        self.offset = offset
        self.size = size
        self.mask = mask
    }
}

/// What a packet must have to match a program: all of some properties.
public struct PacketRule: Sendable, Hashable {
    /// One property.
    public enum Test: Sendable, Hashable {
        /// A field has a value of one of these ranges.
        case field(PacketField, in: [ClosedRange<UInt32>])
        /// One of two fields has such a value.
        case either(PacketField, PacketField, in: [ClosedRange<UInt32>])
        /// The words from an offset on begin like one of these lists, of which all elements except
        /// the last are single values.
        case prefix(offset: Int, in: [[ClosedRange<UInt32>]])
    }

    /// All must be true; an empty list matches everything.
    public var tests: [Test]

    /// Makes a rule.
    public init(_ tests: [Test]) {
        self.tests = tests
    }
}

/// Where the network header of a packet is.
public enum PacketHeader: Sendable, Hashable {
    /// After a link-layer header of this length.
    case after(Int)
    /// After an Ethernet header with a VLAN tag, which the kernel usually keeps outside the packet.
    case tagged

    static let ethernetLength: UInt32 = 14
    static let tagLength: UInt32 = 4
}
