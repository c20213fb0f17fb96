import CSystemd
import Glibc

/// Reads the values of a message.
@unsafe
struct MessageReader {
    let message: OpaquePointer

    /// The remaining values of the message, or of the entered container.
    func values() throws(BusError) -> [BusValue] {
        var values: [BusValue] = []
        while let value = unsafe try next() { values.append(value) }
        return values
    }

    private func next() throws(BusError) -> BusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard
            unsafe try checked(sd_bus_message_peek_type(message, &type, &contents)) > 0
        else { return nil }
        let inner = unsafe contents.map { unsafe String(cString: $0) } ?? ""
        switch UInt8(bitPattern: type) {
        case UInt8(ascii: "a"):
            return .array(of: inner, unsafe try enter(type, inner))
        case UInt8(ascii: "r"):
            return .structure(unsafe try enter(type, inner))
        case UInt8(ascii: "v"):
            guard let value = unsafe try enter(type, inner).first else { throw BusError.malformed }
            return .variant(value)
        case UInt8(ascii: "e"):
            let pair = unsafe try enter(type, inner)
            guard pair.count == 2 else { throw BusError.malformed }
            return .entry(pair[0], pair[1])
        default:
            return unsafe try basic(type)
        }
    }

    private func enter(_ type: CChar, _ inner: String) throws(BusError) -> [BusValue] {
        unsafe try checked(sd_bus_message_enter_container(message, type, inner))
        let values = unsafe try values()
        unsafe try checked(sd_bus_message_exit_container(message))
        return values
    }

    private func basic(_ type: CChar) throws(BusError) -> BusValue {
        switch UInt8(bitPattern: type) {
        case UInt8(ascii: "y"): .byte(unsafe try read(type, 0))
        // sd-bus returns an int.
        case UInt8(ascii: "b"): .bool(unsafe try read(type, 0 as Int32) != 0)
        case UInt8(ascii: "n"): .int16(unsafe try read(type, 0))
        case UInt8(ascii: "q"): .uint16(unsafe try read(type, 0))
        case UInt8(ascii: "i"): .int32(unsafe try read(type, 0))
        case UInt8(ascii: "u"): .uint32(unsafe try read(type, 0))
        case UInt8(ascii: "x"): .int64(unsafe try read(type, 0))
        case UInt8(ascii: "t"): .uint64(unsafe try read(type, 0))
        case UInt8(ascii: "d"): .double(unsafe try read(type, 0))
        case UInt8(ascii: "s"): .string(unsafe try text(type))
        case UInt8(ascii: "o"): .path(ObjectPath(unsafe try text(type)))
        case UInt8(ascii: "g"): .signature(unsafe try text(type))
        default:
            throw BusError(attempt: "read a message", reason: "it carries a descriptor")
        }
    }

    private func read<Number: BitwiseCopyable>(
        _ type: CChar, _ zero: Number
    ) throws(BusError) -> Number {
        var number = zero
        unsafe try checked(sd_bus_message_read_basic(message, type, &number))
        return number
    }

    private func text(_ type: CChar) throws(BusError) -> String {
        var pointer: UnsafePointer<CChar>?
        unsafe try checked(sd_bus_message_read_basic(message, type, &pointer))
        guard let pointer = unsafe pointer else { throw BusError.malformed }
        return unsafe String(cString: pointer)
    }

    @discardableResult
    private func checked(_ status: Int32) throws(BusError) -> Int32 {
        guard status >= 0 else { throw BusError.malformed }
        return status
    }
}
