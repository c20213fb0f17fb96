/// The JSON schemas of linkcond's files and output: those of `Profiles/schema`.
public enum SchemaCatalog {
    /// Their names in alphabetical order, such as `profile`.
    public static var names: [String] { builtInSchemas.map(\.name) }

    /// The schema with a name.
    public static func text(named name: String) -> String? {
        builtInSchemas.first { $0.name == name }?.text
    }
}
