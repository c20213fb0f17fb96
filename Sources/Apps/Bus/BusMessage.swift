import CSystemd

/// A message from a bus: a method call or a signal.
@safe
public final class BusMessage {
    /// The type of a message.
    public enum Kind: Sendable, Hashable {
        case call, signal, answer
    }

    let message: OpaquePointer

    /// Takes ownership of a reference.
    @unsafe
    init(adopting message: OpaquePointer) {
        unsafe self.message = message
    }

    deinit {
        unsafe sd_bus_message_unref(message)
    }

    /// The type of the message.
    public var kind: Kind {
        var type: UInt8 = 0
        guard unsafe sd_bus_message_get_type(message, &type) >= 0 else { return .answer }
        switch Int(type) {
        case Int(SD_BUS_MESSAGE_METHOD_CALL): return .call
        case Int(SD_BUS_MESSAGE_SIGNAL): return .signal
        default: return .answer
        }
    }

    /// The object that is called or emits the signal.
    public var path: ObjectPath { ObjectPath(unsafe Self.text(sd_bus_message_get_path(message))) }
    /// The interface; empty if the caller omits it.
    public var interface: String { unsafe Self.text(sd_bus_message_get_interface(message)) }
    /// The method or the signal.
    public var member: String { unsafe Self.text(sd_bus_message_get_member(message)) }
    /// The sender's unique name.
    public var sender: String { unsafe Self.text(sd_bus_message_get_sender(message)) }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
        unsafe pointer.map { unsafe String(cString: $0) } ?? ""
    }

    /// The arguments.
    ///
    /// - Throws: If the message carries file descriptors or is malformed.
    public func arguments() throws(BusError) -> [BusValue] {
        guard unsafe sd_bus_message_rewind(message, 1) >= 0 else {
            throw BusError.malformed
        }
        return unsafe try MessageReader(message: message).values()
    }
}
