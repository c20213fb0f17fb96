import FoundationEssentials
import LinuxKernel

/// What machines have in common on which a command takes about equally long.
enum MachineKind {
    /// The lines of `/proc/cpuinfo` that name the processor, on x86 and on ARM.
    private static let keys: Set = ["model name", "CPU implementer", "CPU part"]

    /// That of this machine, such as `2 x AMD EPYC 7B13`.
    static var current: String {
        let text = (try? SmallFile.read("/proc/cpuinfo")) ?? ""
        return "\(ProcessInfo.processInfo.activeProcessorCount) x \(processor(in: text))"
    }

    /// The name of the first processor in the text of `/proc/cpuinfo`.
    static func processor(in text: String) -> String {
        // An empty line ends what is said of a processor.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            .prefix { !$0.isEmpty }
        let names = lines.compactMap { line -> String? in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, keys.contains(String(parts[0].prefix { $0 != "\t" })) else {
                return nil
            }
            return String(parts[1].drop(while: \.isWhitespace))
        }
        return names.isEmpty ? "unknown processor" : names.joined(separator: " ")
    }
}
