import LinuxKernel
import SystemPackage

/// A buffer for bytes that will go to a file.
///
/// Its memory is allocated once. Appending more than fits is a bug of the caller.
struct ByteBuffer: ~Copyable {
    private var memory: FrameMemory
    private(set) var count = 0

    init(capacity: Int) throws(KernelError) {
        memory = try FrameMemory(reserving: capacity)
    }

    var isEmpty: Bool { count == 0 }

    /// How many bytes can still be appended.
    var room: Int { memory.count - count }

    /// The appended bytes.
    var bytes: [UInt8] {
        memory.withBytes(in: 0..<count) { span in span.indices.map { span[$0] } }
    }

    mutating func append(_ text: String) {
        append(text.utf8Span.span)
    }

    /// Appends `number` divided by ten to the power of `decimals`, in decimal digits.
    mutating func append(decimal number: UInt64, decimals: Int = 0) {
        var (rest, digits) = (number, 1)
        while rest >= 10 { (rest, digits) = (rest / 10, digits + 1) }
        digits = max(digits, decimals + 1)
        let length = digits + (decimals > 0 ? 1 : 0)
        memory.withMutableBytes(in: count..<count + length) { bytes in
            var (rest, index) = (number, length)
            for place in 0..<digits {
                if place == decimals, decimals > 0 {
                    index -= 1
                    bytes[index] = UInt8(ascii: ".")
                }
                index -= 1
                bytes[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
        }
        count += length
    }

    mutating func append(_ bytes: Span<UInt8>) {
        memory.copy(bytes, to: count)
        count += bytes.count
    }

    /// Appends a number in little-endian order.
    mutating func append(_ number: some FixedWidthInteger & UnsignedInteger) {
        set(number, at: count)
        count += number.bitWidth / 8
    }

    /// Overwrites the number at `offset`.
    mutating func set(_ number: some FixedWidthInteger & UnsignedInteger, at offset: Int) {
        let size = number.bitWidth / 8
        memory.withMutableBytes(in: offset..<offset + size) { bytes in
            for index in 0..<size {
                bytes[index] = UInt8(truncatingIfNeeded: number >> (8 * index))
            }
        }
    }

    /// Appends zeros until the length is a multiple of four.
    mutating func pad() {
        while count % 4 != 0 { append(0 as UInt8) }
    }

    mutating func removeAll() {
        count = 0
    }

    /// Writes all appended bytes to a file.
    func write(to file: FileDescriptor) throws(Errno) {
        try memory.write(0..<count, to: file)
    }
}
