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
        switch record.fate {
        case .exempt: "exempt"
        case .judged(.delivered): record.isCopy ? "duplicate" : "delivered"
        case .judged(.corrupted): "corrupted"
        case .judged(.queueFull): "queueFull"
        case .judged(.managed): "managed"
        case .judged(.lost): "lost"
        }
    }

    /// For people.
    ///
    /// - Parameter management: that of the queue which the packet was in.
    func comment(management: QueueManagement) -> String {
        switch record.fate {
        case .exempt: "exempt: passes at once"
        case .judged(.delivered): (record.isCopy ? "duplicate, " : "") + deliveryText
        case .judged(.corrupted(let bit)): "corrupted bit \(bit), \(deliveryText)"
        case .judged(.queueFull): "queue full"
        case .judged(.managed): "dropped by \(management.text)"
        case .judged(.lost): "lost"
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
    var isDelivered: Bool {
        switch fate {
        case .exempt, .judged(.delivered), .judged(.corrupted): true
        case .judged(.queueFull), .judged(.managed), .judged(.lost): false
        }
    }
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
