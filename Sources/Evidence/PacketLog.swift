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
public enum PacketLog {
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

    /// What stands before the first packet.
    static func header(_ format: Format) -> String {
        format == .csv ? names.joined(separator: ",") + "\n" : ""
    }

    /// The line of one packet.
    ///
    /// - Parameter frame: the beginning of its frame.
    static func line(_ end: PacketEnd, frame: Span<UInt8>, _ format: Format) -> String {
        let values = values(end, PacketSummary(frame))
        switch format {
        case .csv:
            return values.map { $0?.text ?? "" }.joined(separator: ",") + "\n"
        case .jsonLines:
            let fields = zip(names, values).map { name, value in
                "\"\(name)\":\(value?.json ?? "null")"
            }
            return "{\(fields.joined(separator: ","))}\n"
        }
    }

    private static let names = [
        "number", "direction", "timeSeconds", "departureSeconds", "delayMilliseconds", "bytes",
        "verdict", "reordered", "protocol", "source", "destination", "sourcePort",
        "destinationPort",
    ]

    /// A value whose text needs no quoting.
    private enum Value {
        case number(String)
        case word(String)

        var text: String {
            switch self {
            case .number(let text), .word(let text): text
            }
        }

        var json: String {
            switch self {
            case .number(let text): text
            case .word(let text): "\"\(text)\""
            }
        }
    }

    private static func values(_ end: PacketEnd, _ summary: PacketSummary) -> [Value?] {
        let record = end.record
        return [
            record.number.map { .number(String($0)) },
            .word(record.direction.rawValue),
            .number(seconds(record.arrival)),
            .number(seconds(record.departure)),
            record.isDelivered ? .number(milliseconds(record.departure - record.arrival)) : nil,
            .number(String(record.length.bytes)),
            .word(end.key),
            end.isReordered.map { .number("\($0)") },
            .word(summary.networkProtocol),
            summary.source.map { .word("\($0)") },
            summary.destination.map { .word("\($0)") },
            summary.sourcePort.map { .number(String($0)) },
            summary.destinationPort.map { .number(String($0)) },
        ]
    }

    private static func seconds(_ time: Duration) -> String {
        DecimalText.text(max(.zero, time).wholeNanoseconds, decimals: 9)
    }

    private static func milliseconds(_ time: Duration) -> String {
        DecimalText.text(max(.zero, time).wholeNanoseconds, decimals: 6)
    }
}
