/// A scenario built into the program: its file, and what is known without parsing it.
struct BuiltInScenario: Sendable {
    let name: String
    let aliases: [String]
    let text: String
}
