import LinkModel
import LinkUnits
import Verification

/// The conditions of one direction for people, each with its unit; "-" for none.
enum DirectionText {
    /// The rows of a table: a name, whether it is shown where there is none, and its text.
    static let rows:
        [(name: String, isAlwaysShown: Bool, text: @Sendable (DirectionConditions) -> String)] = [
            ("bandwidth", true, bandwidth),
            ("trace", false, { $0.trace ?? "-" }),
            ("queue", true, queue),
            ("aqm", false, { $0.aqm == .dropTail ? "-" : $0.aqm.rawValue }),
            ("ecn", false, { $0.aqm == .dropTail || !$0.marksPackets ? "-" : "marks" }),
            ("loss", true, loss),
            ("delay", true, { $0.delay == .zero ? "-" : $0.delay.unitText }),
            ("jitter", false, jitter),
            ("link delay", false, { LinkDelay(cutIn: $0)?.text ?? "-" }),
            ("reorder", false, reorder),
            ("duplicate", false, { share($0.duplicate) }),
            ("corrupt", false, { share($0.corrupt) }),
        ]

    private static func bandwidth(_ conditions: DirectionConditions) -> String {
        conditions.bandwidth?.description ?? (conditions.trace == nil ? "unlimited" : "-")
    }

    private static func jitter(_ conditions: DirectionConditions) -> String {
        conditions.jitter.map { "\($0.amount.unitText), \($0.distribution)" } ?? "-"
    }

    private static func queue(_ conditions: DirectionConditions) -> String {
        let packets = conditions.queuePackets.map { "\($0) packets" }
        return switch conditions.queue {
        case .packets, nil: packets ?? "-"
        case let limit?: "\(limit)" + (packets.map { " (\($0))" } ?? "")
        }
    }

    private static func loss(_ conditions: DirectionConditions) -> String {
        switch conditions.loss {
        case .random(let ratio): share(ratio)
        case .bursts(let mean, let burst):
            "\(mean) in bursts of \(LossModel.text(ofBurst: burst)) packets"
        }
    }

    private static func reorder(_ conditions: DirectionConditions) -> String {
        guard let reorder = conditions.reorder else { return "-" }
        return reorder.gap == 1 ? "\(reorder.mean)" : "\(reorder.mean), gap \(reorder.gap) packets"
    }

    private static func share(_ ratio: Ratio) -> String {
        ratio == .zero ? "-" : ratio.description
    }
}
