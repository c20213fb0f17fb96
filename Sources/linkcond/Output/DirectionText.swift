import LinkModel
import Verification

/// The conditions of one direction for people, with units; "-" for none.
enum DirectionText {
    typealias Row = (
        name: String, isAlwaysShown: Bool, text: @Sendable (DirectionConditions) -> String
    )

    /// The rows of a table: a name, whether it is shown without a value, and its text.
    static let rows: [Row] = ConditionField.asPacketsMeetThem.flatMap { field -> [Row] in
        let row: Row = (field.key, field.isAlwaysShown, { field.text($0) ?? "-" })
        guard field.key == "jitter" else { return [row] }
        return [row, ("link delay", false, { LinkDelay(cutIn: $0)?.text ?? "-" })]
    }
}
