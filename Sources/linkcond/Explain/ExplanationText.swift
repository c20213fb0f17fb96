import Explanation
import LinkUnits

/// Explanations for people.
enum ExplanationText {
    /// The output of `linkcond explain`.
    static func page(_ run: Explanation, isStyled: Bool) -> String {
        var parts = [run.sentence + "\n"]
        parts.append(table(run.causeRows, "", isStyled))
        parts.append(table(run.connectionRows, "connections", isStyled))
        parts.append(table(run.requestRows, "requests", isStyled))
        if !run.advice.isEmpty {
            parts.append(
                run.advice.map { "advice: \($0.text) (\(packets($0.packets)))\n" }.joined())
        }
        parts.append(table(run.counterfactualRows, "", isStyled))
        parts.append(run.notes.map { "note: \($0)\n" }.joined())
        return parts.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private static func packets(_ numbers: [Int]) -> String {
        "packet\(numbers.count == 1 ? "" : "s") "
            + numbers.map { "\($0)" }.joined(separator: ", ")
    }

    private static func table(
        _ rows: Explanation.Rows, _ things: String, _ isStyled: Bool
    ) -> String {
        guard !rows.rows.isEmpty else { return "" }
        var table = Table(
            rows.titles.map { Table.Column(title: $0.text, isRight: $0.isNumber) })
        for row in rows.rows { table.add(row) }
        let more = rows.omitted > 0 ? "and \(rows.omitted) more \(things): --json\n" : ""
        return table.text(isStyled: isStyled) + more
    }
}
