/// The byte order of a section of a pcapng file.
enum ByteOrder: Sendable {
    case little, big

    func word(_ bytes: Span<UInt8>, at offset: Int) -> UInt16 {
        let (first, second) = (UInt16(bytes[offset]), UInt16(bytes[offset + 1]))
        return self == .little ? second << 8 | first : first << 8 | second
    }

    func long(_ bytes: Span<UInt8>, at offset: Int) -> UInt32 {
        let (first, second) = (word(bytes, at: offset), word(bytes, at: offset + 2))
        return self == .little
            ? UInt32(second) << 16 | UInt32(first) : UInt32(first) << 16 | UInt32(second)
    }

    /// A time of two words of 32 bits, of which the more significant is first in either order.
    func time(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 {
        UInt64(long(bytes, at: offset)) << 32 | UInt64(long(bytes, at: offset + 4))
    }

    func wide(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 {
        let (first, second) = (long(bytes, at: offset), long(bytes, at: offset + 4))
        return self == .little
            ? UInt64(second) << 32 | UInt64(first) : UInt64(first) << 32 | UInt64(second)
    }

    /// Calls `body` with the code and value of each option from `offset` to the end, as far as they
    /// are whole.
    func forEachOption(
        _ bytes: Span<UInt8>, from offset: Int, _ body: (UInt16, Span<UInt8>) -> Void
    ) {
        var offset = offset
        while offset + 4 <= bytes.count {
            let code = word(bytes, at: offset)
            let length = Int(word(bytes, at: offset + 2))
            guard code != 0, offset + 4 + length <= bytes.count else { return }
            body(code, bytes.extracting(offset + 4..<offset + 4 + length))
            offset += 4 + (length + 3) / 4 * 4
        }
    }
}

extension Span<UInt8> {
    /// Numbers of protocols, in network byte order. Reading past the end is a bug of the caller.
    func word(at offset: Int) -> UInt16 { ByteOrder.big.word(self, at: offset) }
    func long(at offset: Int) -> UInt32 { ByteOrder.big.long(self, at: offset) }

    /// The bytes as text; others than UTF-8 become visible.
    var text: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for index in indices { bytes.append(self[index]) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
