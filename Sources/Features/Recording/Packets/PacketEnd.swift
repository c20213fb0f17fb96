import LinkModel
import LinkUnits
import PacketEngine
import PacketLoop

/// The end of a packet, in words.
struct PacketEnd {
    let record: PacketRecord
    /// Whether a packet that entered the link later left it before this one (RFC 4737); nil for
    /// packets that were not delivered or have no number.
    var isReordered: Bool?

    /// The word for programs; a stable interface.
    var key: String {
        record.isCopy && record.fate == .judged(.delivered) ? "duplicate" : record.fate.key
    }

    /// The text for people.
    ///
    /// - Parameter management: The AQM of the packet's queue.
    func comment(management: QueueManagement) -> String {
        switch record.fate {
        case .exempt: "exempt: passes at once"
        case .answer: "answer of the link: passes at once"
        case .judged(.corrupted(let bit)): "corrupted bit \(bit), \(deliveryText)"
        case .judged(.managed): "dropped by \(management.text)"
        default: record.fate.dropReason ?? (record.isCopy ? "duplicate, " : "") + deliveryText
        }
    }

    /// Includes the time on the link, to the microsecond, and how much of it was at the bottleneck.
    private var deliveryText: String {
        "delivered after \(Self.milliseconds(record.departure - record.arrival))"
            + Self.part(record.queueing, "queued") + Self.part(record.transmission, "sending")
            + (isReordered == true ? ", reordered" : "")
            + (record.lateness >= Self.noticeable
                ? ", \(Self.milliseconds(record.lateness)) late" : "")
    }

    /// The time at the bottleneck, if there was any.
    private static func part(_ time: Duration, _ name: String) -> String {
        time >= .microseconds(1) ? ", \(milliseconds(time)) \(name)" : ""
    }

    /// Programs are not woken more punctually than that.
    private static let noticeable = Duration.milliseconds(1)

    private static func milliseconds(_ time: Duration) -> String {
        DecimalText.text((max(.zero, time).wholeNanoseconds + 500) / 1000, decimals: 3) + " ms"
    }
}

extension PacketRecord {
    /// Whether it was delivered.
    var isDelivered: Bool { fate.dropReason == nil }
}

extension QueueManagement {
    fileprivate var text: String {
        switch self {
        case .codel: "CoDel"
        case .fqCodel: "FQ-CoDel"
        case .pie: "PIE"
        case .dropTail: "the queue management"
        }
    }
}
