import LinkModel
import LinkUnits
import PacketEngine
import PacketLoop

/// What became of a packet, in words.
enum VerdictText {
    /// For programs; the words are a promise.
    static func key(_ record: PacketRecord) -> String {
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
    static func comment(_ record: PacketRecord, management: QueueManagement) -> String {
        let delivered = "delivered after \(milliseconds(record)) ms"
        switch record.fate {
        case .exempt: return "exempt: passes at once"
        case .judged(.delivered): return record.isCopy ? "duplicate, \(delivered)" : delivered
        case .judged(.corrupted(let bit)): return "corrupted bit \(bit), \(delivered)"
        case .judged(.queueFull): return "queue full"
        case .judged(.managed): return "dropped by \(name(of: management))"
        case .judged(.lost): return "lost"
        }
    }

    private static func name(of management: QueueManagement) -> String {
        switch management {
        case .codel: "CoDel"
        case .fqCodel: "FQ-CoDel"
        case .pie: "PIE"
        case .dropTail: "the queue management"
        }
    }

    /// The time on the link, to the microsecond.
    private static func milliseconds(_ record: PacketRecord) -> String {
        let nanoseconds = max(.zero, record.departure - record.arrival).wholeNanoseconds
        return DecimalText.text((nanoseconds + 500) / 1000, decimals: 3)
    }
}

/// Numbers with a fixed number of decimals.
enum DecimalText {
    /// `number` divided by as many powers of ten as there are `decimals`.
    static func text(_ number: UInt64, decimals: Int) -> String {
        let digits = String(number)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        return "\(padded.dropLast(decimals)).\(padded.suffix(decimals))"
    }
}
