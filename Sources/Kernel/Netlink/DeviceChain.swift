import CNetlink

/// An nftables chain that sees the packets of some interfaces on their way from or to the device.
public struct DeviceChain: Sendable, Hashable {
    /// Where a chain is hooked in.
    public enum Hook: String, Sendable {
        /// After the ingress filters of tc.
        case ingress
        /// Before the egress filters of tc.
        case egress
    }

    /// The table that it belongs to.
    public let table: String
    /// Its name there.
    public let name: String
    /// Where it is hooked in.
    public let hook: Hook
    /// Chains of lower priorities see packets first.
    public let priority: Int32
    /// The interfaces; a star at the end of a name matches any suffix.
    public let devices: [String]
    /// Whether it does nothing: it has no rules and accepts all packets.
    public let isIdle: Bool

    private static let newChain = messageType(NFT_MSG_NEWCHAIN.rawValue)
    private static let getChain = messageType(NFT_MSG_GETCHAIN.rawValue)

    private static func messageType(_ number: UInt32) -> UInt16 {
        UInt16(NFNL_SUBSYS_NFTABLES) << 8 | UInt16(number)
    }

    // From linux/netfilter.h, which conflicts with the C library's headers.
    private static let familyInet: UInt8 = 1
    private static let familyNetdev: UInt8 = 5
    private static let inetIngress: UInt32 = 5
    private static let accept: UInt32 = 1

    /// Reads a message about a chain; nil for any other message, and for chains at other hooks.
    public init?(_ message: NetlinkMessage) {
        guard message.type == Self.newChain,
            let (fixed, attributes) = message.parse(nfgenmsg.self),
            let table = attributes.string(Int(NFTA_CHAIN_TABLE.rawValue)),
            let name = attributes.string(Int(NFTA_CHAIN_NAME.rawValue)),
            let place = attributes.nested(Int(NFTA_CHAIN_HOOK.rawValue)),
            let number = place.value(Int(NFTA_HOOK_HOOKNUM.rawValue), as: UInt32.self),
            let priority = place.value(Int(NFTA_HOOK_PRIORITY.rawValue), as: Int32.self)
        else { return nil }
        switch (fixed.nfgen_family, UInt32(bigEndian: number)) {
        case (Self.familyNetdev, 0), (Self.familyInet, Self.inetIngress): hook = .ingress
        case (Self.familyNetdev, 1): hook = .egress
        default: return nil
        }
        self.table = table
        self.name = name
        self.priority = Int32(bigEndian: priority)
        devices = Self.devices(place)
        let users = attributes.value(Int(NFTA_CHAIN_USE.rawValue), as: UInt32.self) ?? 1
        let policy = attributes.value(Int(NFTA_CHAIN_POLICY.rawValue), as: UInt32.self) ?? 1
        isIdle = users == 0 && UInt32(bigEndian: policy) == Self.accept
    }

    private static func devices(_ place: Attributes) -> [String] {
        var names: [String] = []
        if let name = place.string(Int(NFTA_HOOK_DEV.rawValue)) { names.append(name) }
        var rest = place[Int(NFTA_HOOK_DEVS.rawValue)] ?? []
        while let header = rest.value(at: 0, as: nlattr.self) {
            let length = Int(header.nla_len)
            let start = MemoryLayout<nlattr>.size
            guard length >= start, length <= rest.count else { break }
            let text = rest.prefix(length).dropFirst(start).prefix { $0 != 0 }
            // Newer kernels report wildcards as name prefixes, in another attribute type.
            let isBeginning = Int(header.nla_type & 0x3fff) != NFTA_DEVICE_NAME.rawValue
            names.append(String(decoding: text, as: UTF8.self) + (isBeginning ? "*" : ""))
            rest = rest.dropFirst(length.alignedForNetlink)
        }
        return names.count > 1 ? Array(Set(names)).sorted() : names
    }

    /// Whether it sees the packets of the interface called `name`.
    public func sees(_ name: String) -> Bool {
        devices.contains { device in
            device.hasSuffix("*") ? name.hasPrefix(device.dropLast()) : device == name
        }
    }

    /// A description for people who look for the chain with nft.
    public var description: String { "nftables chain \(table) \(name), priority \(priority)" }

    /// Asks for all chains. Equivalent to `nft list chains`.
    static func list() -> NetlinkMessage {
        NetlinkMessage(
            Int(getChain), nfgenmsg(nfgen_family: 0, version: UInt8(NFNETLINK_V0), res_id: 0))
    }

    /// The chains that affect packets, in the calling thread's network namespace; none where there
    /// is no nftables.
    ///
    /// Requires `CAP_NET_ADMIN`; without it none are found.
    public static func all() -> [DeviceChain] {
        guard let session = try? NetlinkSession(.packetFilter),
            let messages = try? session.dump(list(), attempt: "list the chains of nftables")
        else { return [] }
        return messages.compactMap(DeviceChain.init).filter { !$0.isIdle }
    }

    /// Those that affect the packets of the interface called `name`.
    public static func atDevice(_ name: String) -> [DeviceChain] {
        all().filter { $0.sees(name) }
    }
}
