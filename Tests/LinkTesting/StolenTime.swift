import Foundation

/// The processor time that a virtual machine's host gave to others.
public enum StolenTime {
    /// Since the machine started, in ticks of the kernel; 0 where nobody steals.
    public static func ticks() throws -> UInt64 {
        let status = try String(contentsOfFile: "/proc/stat", encoding: .utf8)
        // cpu user nice system idle iowait irq softirq steal ...: proc_stat(5).
        let words = status.prefix { $0 != "\n" }.split(separator: " ")
        return words.count > 8 ? UInt64(words[8]) ?? 0 : 0
    }
}
