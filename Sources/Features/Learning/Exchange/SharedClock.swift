import LinuxKernel

/// Tells whether two ends have one clock (`KernelClock.monotonic`): they are on the same boot of the
/// same machine, and in time namespaces with the same offsets.
enum SharedClock {
    /// What an end says of its clock: of no use to anybody who does not have the same one.
    static func mark(_ token: String) -> String {
        let boot = (try? SmallFile.read("/proc/sys/kernel/random/boot_id")) ?? ""
        guard !boot.isEmpty else { return "" }
        let offsets = (try? SmallFile.read("/proc/self/timens_offsets")) ?? ""
        // Earlier versions tell times by the clock that may be set, and name that by the boot alone.
        let name = "monotonic" + boot + offsets + token
        // FNV-1a.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}
