import Learning
import LinkModel

/// What was learned, for people.
enum LearnedText {
    /// The output of `linkcond learn`.
    static func page(_ link: LearnedLink, isStyled: Bool) -> String {
        var table = Table([
            .init(title: "way"), .init(title: "field"), .init(title: "value"),
            .init(title: "how"),
        ])
        for direction in [Direction.down, .up] {
            for value in link[direction].values {
                table.add([
                    "\(direction)", value.field, value.text ?? "-", value.how,
                ])
            }
        }
        return table.text(isStyled: isStyled)
    }
}
