import LinkModel
import LinkUnits
import LinuxKernel
import PacketLoop

/// A line of text for each packet.
///
/// Its fields, with the same names in both formats:
/// - `number`: the packet's number on the link in its direction, from 1; none for packets that
///   passed at once. The same seed loses the same numbers.
/// - `direction`: `up`, from the app to the network, or `down`.
/// - `timeSeconds`: when it arrived at the link, since the link started.
/// - `departureSeconds`: when it left the link or was dropped.
/// - `delayMilliseconds`: the time between both; none unless it was delivered.
/// - `bytes`: the length of the IP packet with its headers.
/// - `verdict`: `delivered`, `duplicate` (a copy that was delivered), `corrupted` (delivered with a
///   bit flipped), `queueFull`, `managed` (dropped by the AQM), `lost`, `exempt`, `oversized` (dropped
///   because it exceeds the MTU), `answer` (of the link, to the sender of an oversized packet),
///   `disconnected` (dropped because the app's interface was down), `blocked` (by the firewall in the
///   middle), `forgotten` (that firewall had forgotten its TCP connection), `unmapped` and `tableFull`
///   (the NAT in the middle had no entry for it, or no room for one), `unanswered` (the name server in
///   the middle is down), `captive` (by the captive portal in the middle), `unrouted` (the network in
///   the middle has no way for its family).
/// - `reordered`: whether a later packet left before it (RFC 4737); none for packets that were not
///   delivered or have no number.
/// - `protocol`, `source`, `destination`, `sourcePort`, `destinationPort`.
/// - `lateMilliseconds`: how much later than `departureSeconds` the machine was ready to carry that out;
///   none for packets that passed at once.
/// - `interface`: the app's interface; only if it has several.
public struct PacketLog: Sendable {
    /// The format of the log.
    public enum Format: Sendable, Hashable {
        /// JSON objects, one per line; missing values are null.
        case jsonLines
        /// Comma-separated values after a header line; missing values are empty.
        case csv

        /// The format for a file name's extension.
        public init(path: String) {
            self = path.lowercased().hasSuffix(".csv") ? .csv : .jsonLines
        }
    }

    private let format: Format
    private let interfaces: [String]
    private let names: [String]

    /// - Parameter interfaces: The names of the app's interfaces; empty if it has only one.
    init(_ format: Format, interfaces: [String] = []) {
        self.format = format
        self.interfaces = interfaces
        names = Self.names + (interfaces.isEmpty ? [] : ["interface"])
    }

    /// Appends the header before the first packet.
    func appendHeader(to buffer: inout ByteBuffer) {
        guard format == .csv else { return }
        buffer.append(names.joined(separator: ",") + "\n")
    }

    /// Appends the line of one packet.
    ///
    /// - Parameter frame: The beginning of its frame.
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
        let lateness = record.fate.isJudged ? Self.nanoseconds(record.lateness) : nil
        line.append(lateness, decimals: 6, to: &buffer)
        if !interfaces.isEmpty { line.append(interfaces[record.link], to: &buffer) }
        line.end(&buffer)
    }

    private static let names = [
        "number", "direction", "timeSeconds", "departureSeconds", "delayMilliseconds", "bytes",
        "verdict", "reordered", "protocol", "source", "destination", "sourcePort",
        "destinationPort", "lateMilliseconds",
    ]

    private static func nanoseconds(_ time: Duration) -> UInt64 {
        max(.zero, time).wholeNanoseconds
    }
}
