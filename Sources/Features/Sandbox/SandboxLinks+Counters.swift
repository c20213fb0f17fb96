import LinkModel
import LinuxKernel
import Middleboxes
import Netlink
import NetworkPath
import PacketLoop
import Recording

extension SandboxLinks {
    /// The traffic on an interface's link so far; nil if unknown.
    func counters(of interface: String) -> LinkCounters? {
        try? parts[interface]?.conditioned.counters
    }

    /// The counters of an interface's link that only the packet engine has.
    func loop(of interface: String) -> LoopStatistics? { parts[interface]?.conditioned.loop }

    /// When NATs in the middle of an interface's link forgot their entries by intention, as far as
    /// nobody has asked before.
    func takeRebindings(on interface: String) -> [Rebinding] {
        parts[interface]?.conditioned.takeRebindings() ?? []
    }

    /// How many packets of the app opened a connection, sent data or requested an echo over an
    /// interface; nil if not counted.
    func requestPackets(over interface: String) -> UInt64? {
        loop(of: interface)?.up.requestPackets
    }

    /// How many packets toward the network are on the links.
    var packetsUnderWay: UInt64 { parts.values.reduce(0) { $0 + $1.conditioned.packetsUnderWay } }

    /// The far side in the app's neighbour table; empty if nothing was ever sent there.
    var neighbours: [KnownNeighbour] {
        get throws(NetlinkError) {
            let found = try sessions.apps.map { session throws(NetlinkError) in
                try session.neighbours()
            }
            return Array(found.joined())
        }
    }

    /// The indices of a device's interfaces that are up.
    func switchedOn(of device: Int) throws(NetlinkError) -> Set<Int32> {
        Set(try sessions.apps[device].links().filter(\.isUp).map(\.index))
    }

    /// What the app sees of an interface, with the overrides set inside; nil if it is not there.
    func effectiveMark(of interface: String) -> NetworkMark? {
        guard let part = parts[interface],
            let link = try? sessions.apps[part.wire.device].link(named: interface)
        else { return nil }
        return .effective(alias: link.aliasBytes)
    }

    /// Collects the counters and completes the recordings.
    ///
    /// - Parameters:
    ///   - beginning: When the command started, by `KernelClock.monotonic`.
    ///   - duration: How long the command ran.
    ///   - whole: How long the links carried packets.
    ///   - samples: The links over time, by interface name.
    ///   - processor: The processor time of the command; nil if that was not looked at.
    func finish(
        since beginning: Duration, after duration: Duration, carrying whole: Duration,
        samples: [String: [LinkSample]], processor: ProcessorUse? = nil
    ) throws -> SandboxReport {
        let all = request.interfaces.compactMap { parts[$0.name] }
        if recorder != nil {
            // Stopping first makes the counters match the files.
            for part in all { part.conditioned.stop() }
        }
        var report = SandboxReport(loops: all.compactMap(\.conditioned.loop))
        let recording =
            recorder?.finish(
                run: beginning..<beginning + duration,
                flaw: CaptureFlaw.comment(report.loops, processor, duration: duration))
            ?? RecordingReport()
        report.fileNotes = recording.notes
        report.fileFailures = recording.failures
        guard request.recording.wantsStatistics else { return report }
        let interfaces = try all.map { part in
            let name = part.wire.app.name
            var statistics = InterfaceStatistics(
                name: name, profile: part.firstProfile,
                counters: try part.conditioned.counters.averaged(over: whole))
            statistics.samples = samples[name] ?? []
            return statistics
        }
        let isEmulated = dataPlane == .engine
        report.statistics = LinkStatistics(
            backend: dataPlane, seed: isEmulated ? request.usedSeed : nil,
            duration: duration, interfaces: interfaces, loops: report.loops, recording: recording)
        return report
    }
}
