import LinuxKernel

/// Tells whether two ends have one clock: they are on the same boot of the same machine.
enum SharedClock {
    /// What an end says of its clock: of no use to anybody who does not have the same one.
    static func mark(_ token: String) -> String {
        let boot = (try? SmallFile.read("/proc/sys/kernel/random/boot_id")) ?? ""
        guard !boot.isEmpty else { return "" }
        // FNV-1a.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in (boot + token).utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}
