import PacketLoop
import Recording

/// The results of a sandbox after its command has ended.
struct SandboxReport {
    /// The traffic on the links, if requested.
    var statistics: LinkStatistics?
    /// The packet engine's counters.
    var loops: [LoopStatistics]
    /// Notes for the user about the files.
    var fileNotes: [String] = []
    /// The files that could not be written, with the reason.
    var fileFailures: [String] = []

    /// Notes for the user.
    var notes: [String] { [Faithfulness(loops).note].compactMap(\.self) + fileNotes }

    /// Adds the processor time of the command and of servers.
    mutating func add(processor use: ProcessorUse, after duration: Duration) {
        statistics?.add(processor: use, duration: duration)
        fileNotes += [use.note(duration: duration)].compactMap(\.self)
    }

    /// Adds the traffic on the loopback.
    mutating func add(loopback loop: PacketLoop, after duration: Duration) {
        let counted = loop.statistics
        loops.append(counted)
        statistics?.add(loopback: counted, duration: duration)
    }
}
