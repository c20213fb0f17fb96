import LinkModel

/// The output of `learn --json`. The keys are a stable interface: see
/// `Profiles/schema/learn.schema.json`.
public struct LearnedJSON: Encodable {
    struct Value: Encodable {
        let field: String
        let sureness: String
        let text: String?
        let value: Double?
        let low: Double?
        let high: Double?
        let how: String
    }

    let name: String
    let files: [String]
    let method: String
    let source: String
    let notes: [String]
    let down: [Value]
    let up: [Value]

    /// Makes the object for a learned link and its files.
    public init(_ link: LearnedLink, name: String, files: [String]) {
        (self.name, self.files, self.notes) = (name, files, link.notes)
        (method, source) = (link.method.rawValue, link.source)
        let values = { (direction: Direction) in
            link[direction].values.map {
                Value(
                    field: $0.field, sureness: $0.sureness.rawValue, text: $0.text,
                    value: $0.value, low: $0.low, high: $0.high, how: $0.how)
            }
        }
        (down, up) = (values(.down), values(.up))
    }
}
