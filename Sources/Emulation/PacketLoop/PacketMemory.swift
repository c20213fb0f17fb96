import LinkUnits
import LinuxKernel

/// How much memory the frames on a link may take, for each direction.
enum PacketMemory {
    /// Where the process may have as much as it wants.
    static let most = ByteCount(bytes: 256 << 20)
    /// Of which an inbox takes a third for itself.
    static let least = ByteCount(bytes: 12 << 20)

    /// What fits into the limits of this process.
    ///
    /// Beyond it packets are lost, which is counted and said. Beyond a limit of a control group the
    /// kernel would kill the engine, or the app.
    static let standard = share(
        addressSpace: MemoryLimit.addressSpace, controlGroups: MemoryLimit.controlGroups)

    /// A share of the limits, in bytes, that leaves the most for the app, for more links and for the rest
    /// of the program. A store takes addresses for three times as much, and when the sizes of packets
    /// change up to three times the memory for a while (`FrameStore`).
    static func share(addressSpace: UInt64?, controlGroups: UInt64?) -> ByteCount {
        let shares = [addressSpace.map { $0 / 32 }, controlGroups.map { $0 / 16 }]
        let bytes = shares.compactMap(\.self).reduce(most.bytes, min)
        return ByteCount(bytes: max(bytes, least.bytes))
    }
}
