public import LinkModel

/// The result of recording packets to files.
public struct RecordingReport: Codable, Sendable, Hashable {
    /// The capture file; nil: not requested.
    @OrNull public var capture: FileReport?
    /// The log; nil: not requested.
    @OrNull public var log: FileReport?

    /// Makes a report.
    public init(capture: FileReport? = nil, log: FileReport? = nil) {
        _capture = OrNull(wrappedValue: capture)
        _log = OrNull(wrappedValue: log)
    }

    /// Notes for the user about the files.
    public var notes: [String] { [capture, log].compactMap { $0?.note } }

    /// The files that could not be written, with the reason.
    public var failures: [String] { [capture, log].compactMap { $0?.failure } }

    /// Marks all packets not yet written as missing.
    mutating func giveUp(observed: UInt64) {
        capture?.giveUp(observed: observed)
        log?.giveUp(observed: observed)
    }

    private enum CodingKeys: String, CodingKey {
        case capture = "pcap"
        case log
    }
}

/// The result of one such file.
public struct FileReport: Codable, Sendable, Hashable {
    /// The path as the user gave it.
    public var path: String
    /// Packets in the file.
    public var packets: UInt64
    /// Packets missing from the file.
    public var missingPackets: UInt64
    /// Why writing stopped; nil if it did not.
    @OrNull public var problem: String?

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
    /// The contents of the file so far.
    ///
    /// - Parameter missing: The packets for which there was no time.
    func report(missing: PacketCounts) -> FileReport {
        FileReport(
            path: file.path, packets: packets.total, missingPackets: missing.total + refused.total,
            problem: failure.map { "\($0)" })
    }
}
