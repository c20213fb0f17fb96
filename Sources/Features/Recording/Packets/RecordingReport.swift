public import LinkModel

/// What became of the files in which packets were written down.
public struct RecordingReport: Codable, Sendable, Hashable {
    /// The capture file; nil: not asked for.
    @OrNull public var capture: FileReport?
    /// The log; nil: not asked for.
    @OrNull public var log: FileReport?

    /// Reports what there is.
    public init(capture: FileReport? = nil, log: FileReport? = nil) {
        _capture = OrNull(wrappedValue: capture)
        _log = OrNull(wrappedValue: log)
    }

    /// What the user should know of them.
    public var notes: [String] { [capture, log].compactMap { $0?.note } }

    /// Which of them could not be written, and why.
    public var failures: [String] { [capture, log].compactMap { $0?.failure } }

    /// Says of the files that they took no more of the packets that there were.
    mutating func giveUp(observed: UInt64) {
        capture?.giveUp(observed: observed)
        log?.giveUp(observed: observed)
    }

    private enum CodingKeys: String, CodingKey {
        case capture = "pcap"
        case log
    }
}

/// What became of one such file.
public struct FileReport: Codable, Sendable, Hashable {
    /// Its name, as the user gave it.
    public var path: String
    /// Packets that are in it.
    public var packets: UInt64
    /// Packets that are not in it, though they should be.
    public var missingPackets: UInt64
    /// Why it took no more; nil if it did.
    @OrNull public var problem: String?

    init(path: String, packets: UInt64, missingPackets: UInt64, problem: String?) {
        self.path = path
        self.packets = packets
        self.missingPackets = missingPackets
        _problem = OrNull(wrappedValue: problem)
    }

    fileprivate mutating func giveUp(observed: UInt64) {
        problem = "it takes no more"
        missingPackets = observed - packets
    }

    fileprivate var failure: String? {
        problem.map {
            "cannot write \(path): \($0); \(missingPackets) packets are missing in it"
        }
    }

    fileprivate var note: String? {
        guard problem == nil, missingPackets > 0 else { return nil }
        return "\(missingPackets) packets are missing in \(path), since it could not be written "
            + "fast enough"
    }
}

extension RecordingStream {
    /// What the file holds by now.
    ///
    /// - Parameter missing: the packets that nobody had time to write down.
    func report(missing: PacketCounts) -> FileReport {
        FileReport(
            path: file.path, packets: packets.total, missingPackets: missing.total + refused.total,
            problem: failure.map { "\($0)" })
    }
}
