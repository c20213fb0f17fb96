import LinkModel
import LinkUnits
import LinuxKernel
import PacketLoop

/// A line of text for each packet.
///
/// Its fields, in both formats under the same names:
/// - `number`: the how-manieth packet on the link in its direction it was, from 1; none for what
///   passed at once. The same seed loses the same numbers.
/// - `direction`: `up`, from the app to the network, or `down`.
/// - `timeSeconds`: when it came to the link, since the link began.
/// - `departureSeconds`: when it left the link or was dropped.
/// - `delayMilliseconds`: the time between both; none unless it was delivered.
/// - `bytes`: the length of the IP packet with its headers.
/// - `verdict`: `delivered`, `duplicate` (a copy that was delivered), `corrupted` (delivered with
///   a bit flipped), `queueFull`, `managed` (dropped by the queue management), `lost`, `exempt`.
/// - `reordered`: whether a later packet came out before it (RFC 4737); none for what
///   did not come out, or has no number.
/// - `protocol`, `source`, `destination`, `sourcePort`, `destinationPort`.
/// - `interface`: that of the app; only if it has several.
public struct PacketLog: Sendable {
    /// How a line is written.
    public enum Format: Sendable, Hashable {
        /// A JSON object; what there is none of is null.
        case jsonLines
        /// Values between commas, behind a line of names; what there is none of is empty.
        case csv

        /// The format that belongs to the name of a file.
        public init(path: String) {
            self = path.lowercased().hasSuffix(".csv") ? .csv : .jsonLines
        }
    }

    private let format: Format
    private let interfaces: [String]
    private let names: [String]

    /// - Parameter interfaces: the names of the app's interfaces; none if it has but one.
    init(_ format: Format, interfaces: [String] = []) {
        self.format = format
        self.interfaces = interfaces
        names = Self.names + (interfaces.isEmpty ? [] : ["interface"])
    }

    /// Adds what stands before the first packet.
    func appendHeader(to buffer: inout ByteBuffer) {
        guard format == .csv else { return }
        buffer.append(names.joined(separator: ",") + "\n")
    }

    /// Adds the line of one packet.
    ///
    /// - Parameter frame: the beginning of its frame.
    func append(_ end: PacketEnd, frame: Span<UInt8>, to buffer: inout ByteBuffer) {
        let record = end.record
        let summary = PacketSummary(frame)
        let delay = record.isDelivered ? Self.nanoseconds(record.departure - record.arrival) : nil
        var line = LogLine(format, names: names)
        line.append(record.number, to: &buffer)
        line.append(record.direction.rawValue, to: &buffer)
        line.append(Self.nanoseconds(record.arrival), decimals: 9, to: &buffer)
        line.append(Self.nanoseconds(record.departure), decimals: 9, to: &buffer)
        line.append(delay, decimals: 6, to: &buffer)
        line.append(record.length.bytes, to: &buffer)
        line.append(end.key, to: &buffer)
        line.append(end.isReordered, to: &buffer)
        line.append(summary.networkProtocol, to: &buffer)
        line.append(summary.source?.description, to: &buffer)
        line.append(summary.destination?.description, to: &buffer)
        line.append(summary.sourcePort.map(UInt64.init), to: &buffer)
        line.append(summary.destinationPort.map(UInt64.init), to: &buffer)
        if !interfaces.isEmpty { line.append(interfaces[record.link], to: &buffer) }
        line.end(&buffer)
    }

    private static let names = [
        "number", "direction", "timeSeconds", "departureSeconds", "delayMilliseconds", "bytes",
        "verdict", "reordered", "protocol", "source", "destination", "sourcePort",
        "destinationPort",
    ]

    private static func nanoseconds(_ time: Duration) -> UInt64 {
        max(.zero, time).wholeNanoseconds
    }
}
