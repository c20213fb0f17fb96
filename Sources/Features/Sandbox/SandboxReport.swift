import PacketLoop
import Recording

/// What is known of a sandbox when its command has ended.
struct SandboxReport {
    /// What passed over the links, if that was asked for.
    var statistics: LinkStatistics?
    /// What the packet engine counted.
    var loops: [LoopStatistics]
    /// What the user should know of the files.
    var fileNotes: [String] = []
    /// Which files could not be written, and why.
    var fileFailures: [String] = []

    init(loops: [LoopStatistics]) {
        self.loops = loops
    }

    /// What the user should know.
    var notes: [String] { [Faithfulness(loops).note].compactMap(\.self) + fileNotes }

    /// Adds what passed over the loopback.
    mutating func add(loopback loop: PacketLoop, after duration: Duration) {
        let counted = loop.statistics
        loops.append(counted)
        statistics?.add(loopback: counted, duration: duration)
    }
}
