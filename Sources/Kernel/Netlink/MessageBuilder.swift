import CNetlink

/// Builds one netlink message with libnl's functions.
///
/// Only for this module and TrafficControl; their public API uses `NetlinkMessage`.
@safe
public struct MessageBuilder: ~Copyable {
    private let message: OpaquePointer

    /// Starts a message of `type` with `flags` (`NLM_F_REQUEST` is added).
    public init(type: Int, flags: Int32 = 0) {
        // libnl's default, a page, is too small for a message with a delay table.
        guard let message = unsafe nlmsg_alloc_size(32 * 1024),
            unsafe nlmsg_put(
                message, 0, 0, Int32(type), 0, flags | NLM_F_REQUEST) != nil
        else { preconditionFailure("there is memory for a netlink message") }
        unsafe self.message = message
    }

    deinit {
        unsafe nlmsg_free(message)
    }

    /// Appends the fixed part of the message.
    public func append<Value>(_ value: Value) {
        unsafe withUnsafeBytes(of: value) { bytes in
            let status = unsafe nlmsg_append(
                message, UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count,
                Int32(NLMSG_ALIGNTO))
            precondition(status == 0, "a message has room for its fixed part")
        }
    }

    /// Adds an attribute with the bytes of a C type.
    public func put<Value>(_ type: Int, _ value: Value) {
        unsafe withUnsafeBytes(of: value) { unsafe put(type, raw: $0) }
    }

    /// Adds a text attribute with a zero byte at its end.
    public func put(_ type: Int, _ text: String) {
        let bytes = Array(text.utf8) + [0]
        unsafe bytes.withUnsafeBytes { unsafe put(type, raw: $0) }
    }

    /// Adds an attribute with these bytes.
    public func put(_ type: Int, bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { unsafe put(type, raw: $0) }
    }

    /// Adds an attribute that contains those that `body` adds; none if it adds nothing.
    public func nest(_ type: Int, _ body: (borrowing MessageBuilder) -> Void) {
        guard let start = unsafe nla_nest_start(message, Int32(type)) else {
            preconditionFailure("a message has room for its attributes")
        }
        body(self)
        unsafe nla_nest_end(message, start)
    }

    private func put(_ type: Int, raw bytes: UnsafeRawBufferPointer) {
        let status = unsafe nla_put(message, Int32(type), Int32(bytes.count), bytes.baseAddress)
        precondition(status == 0, "a message has room for its attributes")
    }

    /// The finished message.
    public consuming func finish() -> NetlinkMessage {
        guard let header = unsafe nlmsg_hdr(message) else {
            preconditionFailure("a message has a header")
        }
        let bytes = unsafe UnsafeRawBufferPointer(
            start: header, count: Int(header.pointee.nlmsg_len))
        return unsafe NetlinkMessage(bytes: Array(bytes))
    }
}

extension NetlinkMessage {
    /// Builds a message of `type`: its fixed part, and the attributes that `attributes` adds.
    public init<Fixed>(
        _ type: Int, flags: Int32 = 0, _ fixed: Fixed,
        _ attributes: (borrowing MessageBuilder) -> Void = { _ in }
    ) {
        let builder = MessageBuilder(type: type, flags: flags)
        builder.append(fixed)
        attributes(builder)
        self = builder.finish()
    }
}
