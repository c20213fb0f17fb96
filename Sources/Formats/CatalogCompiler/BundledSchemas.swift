/// Schemas of which each stands by itself: who checks with one that `linkcond schema` has printed
/// has no other.
enum BundledSchemas {
    /// What others refer to.
    private static let shared = "direction"

    /// The schemas with what they refer to among their definitions.
    static func all(
        _ schemas: [(name: String, text: String)]
    ) -> [(name: String, text: String)] {
        guard let definition = schemas.first(where: { $0.name == shared })?.text else {
            return schemas
        }
        let lines = definition.split(separator: "\n").joined(separator: "\n    ")
        return schemas.map { schema in
            guard schema.text.contains("\"$ref\": \"linkcond:\(shared)\"") else { return schema }
            let start = "\n  \"$defs\": {\n"
            return (
                schema.name,
                schema.text.replacing(
                    start, with: "\(start)    \"linkcond:\(shared)\": \(lines),\n")
            )
        }
    }
}
