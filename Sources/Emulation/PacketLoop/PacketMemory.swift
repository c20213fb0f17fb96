import LinkUnits
import LinuxKernel

/// How much memory the frames on a link may take, for each direction.
///
/// Beyond it packets are lost, which is counted and said. Beyond a limit of its own or of a control group
/// the kernel would refuse the memory, or kill the engine or the app.
enum PacketMemory {
    /// Where the process may have as much as it wants.
    static let most = ByteCount(bytes: 256 << 20)
    /// Of which an inbox takes a third for itself.
    static let least = ByteCount(bytes: 12 << 20)

    /// What a store may ask the kernel for. It takes three times as many addresses (`FrameStore`), which
    /// leaves the most for more links and for the rest of the program.
    static var reserved: ByteCount { share(of: MemoryLimit.addressSpace, among: 32) }

    /// What a store may use of it. When the sizes of packets change it has up to three times as much for a
    /// while, and what remains is the app's.
    static let allowed = share(of: MemoryLimit.controlGroups, among: 16)

    static func share(of limit: UInt64?, among count: UInt64) -> ByteCount {
        limit.map { min(most, max(least, ByteCount(bytes: $0 / count))) } ?? most
    }
}
