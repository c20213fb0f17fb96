import CNetlink

/// The attributes of a message or of a nest, by type. Unknown ones are kept and ignored.
public struct Attributes: Sendable {
    // Too few for a dictionary to be worth its making.
    private var values: [(type: UInt16, bytes: ArraySlice<UInt8>)] = []

    /// Reads attributes until the bytes end or are malformed.
    init(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while let header = rest.value(at: 0, as: nlattr.self) {
            let length = Int(header.nla_len)
            guard length >= MemoryLayout<nlattr>.size, length <= rest.count else { break }
            let type = header.nla_type & ~UInt16(NLA_F_NESTED | NLA_F_NET_BYTEORDER)
            values.append((type, rest.prefix(length).dropFirst(MemoryLayout<nlattr>.size)))
            rest = rest.dropFirst(length.alignedForNetlink)
        }
    }

    /// Whether there is an attribute of this type.
    public func contains(_ type: Int) -> Bool { self[type] != nil }

    /// The bytes of an attribute; of the last of its type.
    public subscript(_ type: Int) -> ArraySlice<UInt8>? {
        let type = UInt16(type)
        return values.last { $0.type == type }?.bytes
    }

    /// The value of a C type at the start of an attribute; nil if it is absent or shorter.
    public func value<Value>(_ type: Int, as _: Value.Type) -> Value? {
        self[type]?.value(at: 0, as: Value.self)
    }

    /// The text of an attribute, without the zero byte at its end.
    public func string(_ type: Int) -> String? {
        self[type].map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// The attributes inside an attribute.
    public func nested(_ type: Int) -> Attributes? { self[type].map(Attributes.init) }

    /// The fixed part of type `Fixed` inside an attribute, and the attributes behind it.
    public func nested<Fixed>(
        _ type: Int, behind _: Fixed.Type
    ) -> (fixed: Fixed, Attributes)? {
        guard let bytes = self[type], let fixed = bytes.value(at: 0, as: Fixed.self) else {
            return nil
        }
        let length = MemoryLayout<Fixed>.size.alignedForNetlink
        return (fixed, Attributes(bytes.dropFirst(length)))
    }
}
