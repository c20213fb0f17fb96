import LinkModel
import LinkUnits

/// An interface of a capture file.
struct CaptureInterface: Sendable {
    /// How its frames begin.
    enum LinkType: Sendable {
        case ethernet
        /// IP packets without anything before them.
        case raw
        /// IP packets behind so many bytes of Linux, as of all interfaces at once.
        case cooked(Int)

        /// The bytes before the IP packet that are Linux's.
        var cookedBytes: Int {
            if case .cooked(let count) = self { count } else { 0 }
        }
    }

    /// The number of its link type; the names are those of the tcpdump group's list.
    let linkTypeNumber: UInt16
    var name = ""
    var description = ""
    /// Ticks per second of its times.
    private var ticks: UInt64 = 1_000_000

    init(linkTypeNumber: UInt16) {
        self.linkTypeNumber = linkTypeNumber
    }

    /// The link types that `linkType` knows, for messages.
    static let knownLinkTypes =
        "Ethernet (1), IP packets (12, 14, 101, 228, 229) and Linux's cooked packets (113, 276)"

    var linkType: LinkType? {
        switch linkTypeNumber {
        case 1: .ethernet
        case 12, 14, 101, 228, 229: .raw
        case 113: .cooked(16)
        case 276: .cooked(20)
        default: nil
        }
    }

    /// Takes `if_tsresol`: a negative power of ten, or of two if the highest bit is set.
    mutating func setResolution(_ code: UInt8) {
        let exponent = Int(code & 0x7f)
        ticks =
            code & 0x80 == 0
            ? (0..<min(exponent, 19)).reduce(1) { power, _ in power * 10 }
            : 1 << UInt64(min(exponent, 63))
    }

    /// A number of ticks as a time.
    func time(_ count: UInt64) -> Duration {
        let nanoseconds = UInt128(count) * 1_000_000_000 / UInt128(ticks)
        return .nanoseconds(Int64(clamping: nanoseconds))
    }

    /// The direction of its packets, if it is one of ours.
    var direction: Direction? {
        switch name.split(separator: " ").last {
        case "up": .up
        case "down": .down
        default: nil
        }
    }

    /// The bandwidth and delay that its description names, as `RunFiles` writes it.
    var conditions: (bandwidth: Bandwidth?, delay: Duration) {
        let fields = description.split(separator: ",").map { $0.trimmingPrefix(" ") }
        let bandwidth = fields.first.flatMap { try? Bandwidth(parsing: String($0)) }
        let delay = fields.first { $0.hasPrefix("delay ") }.flatMap {
            try? Duration(parsing: String($0.dropFirst("delay ".count)))
        }
        return (bandwidth, delay ?? .zero)
    }
}
