import Evidence
import LinkModel
import Netlink
import PacketLoop

/// The wire between the app and the far side in the hands of the packet engine, and what is
/// written down of it.
struct EmulatedLink {
    /// What decided the packets' fate.
    let seed: UInt64
    private let loop: PacketLoop
    private let recorder: EvidenceRecorder?

    /// Carries packets from now on, as `request` wants it.
    init(_ request: SandboxRequest) throws {
        seed = request.chance
        let conditions = request.conditions.withExplicitLoss
        let clock = LoopClock.startingNow()
        if request.evidence.wantsPackets {
            let words = request.command.map { "\($0)" }.joined(separator: " ")
            let recorder = try EvidenceRecorder(
                request.evidence, conditions: conditions, clock: clock,
                remark: "\(request.profile), seed \(seed): \(words)")
            try recorder.start()
            self.recorder = recorder
        } else {
            recorder = nil
        }
        loop = try PacketLoop(
            appSide: SandboxNetwork.appEnd.index, farSide: SandboxNetwork.farEnd.index,
            conditions: conditions, traces: request.traces, seed: seed, clock: clock,
            observer: recorder)
        try loop.start()
    }

    /// What has passed until now.
    var snapshot: LinkSnapshot { LinkSnapshot(loop.statistics) }

    /// How often the app has opened a connection, sent data or asked for an echo.
    var requests: UInt64 { loop.statistics.up.requests }

    /// Counts what has passed, and ends the files.
    ///
    /// - Parameter duration: how long the command ran.
    func finish(after duration: Duration) -> LinkPlane.End {
        // What is counted then is what the files hold.
        if recorder != nil { loop.stop() }
        let counted = loop.statistics
        let evidence = recorder?.finish() ?? EvidenceReport()
        let statistics = LinkStatistics(
            counted, seed: seed, duration: duration, evidence: evidence)
        return LinkPlane.End(
            statistics: statistics, loops: [counted], fileNotes: evidence.notes)
    }
}
