import CNetlink

/// A generic netlink family, identified by its number on this kernel.
struct GenericFamily: Sendable, Hashable {
    /// The type of its messages.
    let number: UInt16

    /// Starts a message to the family.
    func message(_ command: Int, flags: Int = 0) -> MessageBuilder {
        let builder = MessageBuilder(type: Int(number), flags: flags)
        builder.append(genlmsghdr(cmd: UInt8(command), version: 1, reserved: 0))
        return builder
    }

    /// Asks for the number of the family with this name. Equivalent to `genl ctrl get name`.
    static func find(_ name: String) -> NetlinkMessage {
        let builder = GenericFamily(number: UInt16(GENL_ID_CTRL)).message(CTRL_CMD_GETFAMILY)
        builder.put(CTRL_ATTR_FAMILY_NAME, name)
        return builder.finish()
    }

    /// Reads the number from the reply.
    init?(_ message: NetlinkMessage) {
        guard message.type == UInt16(GENL_ID_CTRL),
            let (_, attributes) = message.parse(genlmsghdr.self),
            let number = attributes.value(CTRL_ATTR_FAMILY_ID, as: UInt16.self)
        else { return nil }
        self.number = number
    }

    init(number: UInt16) {
        self.number = number
    }
}
