import ArgumentParser
import Catalog
import LinkModel
import UserCatalog

/// `linkcond schema NAME`
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Prints a JSON schema of a file or of JSON output.",
        discussion: """
            Editors and programs check profiles, scenarios and linkcond.yaml with them, and know \
            from the others what the JSON of a verb has. Without a name it lists them.

            Examples:
              linkcond schema
              linkcond schema profile >profile.schema.json
            """)

    @Argument(
        help: "Its name, such as profile, scenario or report.",
        completion: .list(SchemaCatalog.names))
    var name: String?

    @OptionGroup var global: GlobalOptions

    func run() throws {
        guard let name else {
            return try global.console.print(SchemaCatalog.names.joined(separator: "\n"))
        }
        guard let text = SchemaCatalog.text(named: name) else {
            let nearest = NameMatching.suggestion(for: name, among: SchemaCatalog.names)
            throw UsageError(
                description: "\(name): no such schema; "
                    + (nearest.map { "did you mean \($0)?" } ?? "linkcond schema lists them"))
        }
        try global.console.print(text)
    }
}
