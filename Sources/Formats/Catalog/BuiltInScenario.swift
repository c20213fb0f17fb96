/// A scenario that is part of the program: its file, and what can be said of it without reading
/// that.
struct BuiltInScenario: Sendable {
    let name: String
    let aliases: [String]
    let text: String
}
