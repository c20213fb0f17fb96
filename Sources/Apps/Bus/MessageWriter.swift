import CSystemd
import Glibc

/// Appends values to a message.
@unsafe
struct MessageWriter {
    let message: OpaquePointer

    /// Appends values; sd-bus checks them against their types.
    func append(_ values: [BusValue]) throws(BusError) {
        for value in values { unsafe try append(value) }
    }

    private func append(_ value: BusValue) throws(BusError) {
        switch value {
        case .byte(let number): unsafe try append("y", number)
        // sd-bus expects an int.
        case .bool(let flag): unsafe try append("b", (flag ? 1 : 0) as Int32)
        case .int16(let number): unsafe try append("n", number)
        case .uint16(let number): unsafe try append("q", number)
        case .int32(let number): unsafe try append("i", number)
        case .uint32(let number): unsafe try append("u", number)
        case .int64(let number): unsafe try append("x", number)
        case .uint64(let number): unsafe try append("t", number)
        case .double(let number): unsafe try append("d", number)
        case .string(let text): unsafe try append("s", text: text)
        case .path(let path): unsafe try append("o", text: path.text)
        case .signature(let text): unsafe try append("g", text: text)
        case .array(let element, let values): unsafe try append("a", element, values)
        case .structure(let fields):
            unsafe try append("r", fields.map(\.signature).joined(), fields)
        case .entry(let key, let value):
            unsafe try append("e", key.signature + value.signature, [key, value])
        case .variant(let value): unsafe try append("v", value.signature, [value])
        }
    }

    private func append(
        _ type: Unicode.Scalar, _ contents: String, _ values: [BusValue]
    ) throws(BusError) {
        unsafe try check(
            sd_bus_message_open_container(message, Self.code(type), contents))
        unsafe try append(values)
        unsafe try check(sd_bus_message_close_container(message))
    }

    private func append(
        _ type: Unicode.Scalar, _ number: some BitwiseCopyable
    ) throws(BusError) {
        var number = number
        unsafe try check(sd_bus_message_append_basic(message, Self.code(type), &number))
    }

    private func append(_ type: Unicode.Scalar, text: String) throws(BusError) {
        let status = unsafe text.withCString { pointer in
            unsafe sd_bus_message_append_basic(message, Self.code(type), pointer)
        }
        unsafe try check(status)
    }

    private static func code(_ type: Unicode.Scalar) -> CChar {
        CChar(truncatingIfNeeded: type.value)
    }

    private func check(_ status: Int32) throws(BusError) {
        guard status < 0 else { return }
        throw BusError(
            attempt: "write a message", reason: unsafe String(cString: strerror(-status)))
    }
}
