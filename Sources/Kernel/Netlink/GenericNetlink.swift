import CNetlink

/// A generic netlink family, identified by its number on this kernel.
struct GenericFamily: Sendable, Hashable {
    /// The type of its messages.
    let number: UInt16

    /// A message to the family.
    func message(
        _ command: Int, _ attributes: (borrowing MessageBuilder) -> Void = { _ in }
    ) -> NetlinkMessage {
        let header = genlmsghdr(cmd: UInt8(command), version: 1, reserved: 0)
        return NetlinkMessage(Int(number), header, attributes)
    }

    /// Asks for the number of the family with this name. Equivalent to `genl ctrl get name`.
    static func find(_ name: String) -> NetlinkMessage {
        GenericFamily(number: UInt16(GENL_ID_CTRL)).message(CTRL_CMD_GETFAMILY) {
            $0.put(CTRL_ATTR_FAMILY_NAME, name)
        }
    }
}

extension NetlinkSession {
    /// The family with this name, for a session of generic netlink; nil if the kernel lacks it.
    func genericFamily(named name: String) throws(NetlinkError) -> GenericFamily? {
        try get([GenericFamily.find(name)])[0].flatMap { GenericFamily($0) }
    }
}

extension GenericFamily {
    /// Reads the number from the reply.
    init?(_ message: NetlinkMessage) {
        guard message.type == UInt16(GENL_ID_CTRL),
            let (_, attributes) = message.parse(genlmsghdr.self),
            let number = attributes.value(CTRL_ATTR_FAMILY_ID, as: UInt16.self)
        else { return nil }
        self.number = number
    }
}
