import LinkModel
import LinkUnits
import PacketEngine
import PacketLoop

/// What became of a packet, in words.
struct PacketEnd {
    let record: PacketRecord
    /// Whether a packet that entered the link later has left it before this one (RFC 4737); nil
    /// for what did not come out, or has no number.
    var isReordered: Bool?

    /// For programs; the words are a promise.
    var key: String {
        record.isCopy && record.fate == .judged(.delivered) ? "duplicate" : record.fate.key
    }

    /// For people.
    ///
    /// - Parameter management: that of the queue which the packet was in.
    func comment(management: QueueManagement) -> String {
        switch record.fate {
        case .exempt: "exempt: passes at once"
        case .judged(.corrupted(let bit)): "corrupted bit \(bit), \(deliveryText)"
        case .judged(.managed): "dropped by \(management.text)"
        default: record.fate.dropReason ?? (record.isCopy ? "duplicate, " : "") + deliveryText
        }
    }

    /// With the time on the link, to the microsecond.
    private var deliveryText: String {
        let nanoseconds = max(.zero, record.departure - record.arrival).wholeNanoseconds
        let milliseconds = DecimalText.text((nanoseconds + 500) / 1000, decimals: 3)
        return "delivered after \(milliseconds) ms" + (isReordered == true ? ", reordered" : "")
    }
}

extension PacketRecord {
    /// Whether it came out at the other end.
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
