import Scenarios
import YAMLReading

/// Reads the apps of a scenario, and how they are started.
struct AppReader {
    private static let launchKeys = ["home", "user", "environment", "arguments"]

    let file: String

    /// The apps under `apps`, if there are any.
    func apps(_ fields: FieldReader) throws(ProfileError) -> [ScenarioApp] {
        guard let node = fields.node("apps") else { return [] }
        guard case .mapping(let mapping) = node, !mapping.isEmpty else {
            throw fields.error(
                "apps", "has to be a list of names, such as { tabletA: { interfaces: [wifi0] } }")
        }
        var apps: [ScenarioApp] = []
        for (key, value) in mapping {
            let name = try fields.printable(key.string ?? "", "apps")
            let inner = try FieldReader(
                value, file: file, path: "apps.\(name)",
                known: ["interfaces", "command", "running"] + Self.launchKeys)
            apps.append(
                ScenarioApp(
                    name: name, interfaces: try words("interfaces", of: inner) ?? [],
                    command: try command(of: inner), launch: try launch(inner),
                    isRunning: try inner.flagIfGiven("running") ?? true, line: key.line))
        }
        return apps
    }

    /// The options under `relaunch`.
    func relaunch(_ node: YAMLNode) throws(ProfileError) -> LaunchOptions {
        try launch(
            FieldReader(node, file: file, path: "app.relaunch", known: Self.launchKeys))
    }

    private func launch(_ fields: FieldReader) throws(ProfileError) -> LaunchOptions {
        LaunchOptions(
            home: try fields.text("home"), user: try fields.text("user"),
            environment: try environment(fields), arguments: try words("arguments", of: fields))
    }

    private func command(of fields: FieldReader) throws(ProfileError) -> [String]? {
        guard let words = try words("command", of: fields) else { return nil }
        guard words.first?.isEmpty == false else {
            throw fields.error("command", "has no program; write it, such as [./my-app, --verbose]")
        }
        return words
    }

    private func words(_ key: String, of fields: FieldReader) throws(ProfileError) -> [String]? {
        guard let node = fields.node(key) else { return nil }
        let example = key == "interfaces" ? "[wifi0]" : "[sh, -c, 'echo \"$HOME\"']"
        guard case .sequence(let sequence) = node else {
            throw fields.error(key, "has to be a list of words, such as \(example)")
        }
        var words: [String] = []
        for element in sequence {
            guard let word = element.string, !word.contains("\0") else {
                throw fields.error(key, "has to be a list of words, such as \(example)")
            }
            words.append(word)
        }
        return words
    }

    private func environment(_ fields: FieldReader) throws(ProfileError) -> [String: String] {
        guard let node = fields.node("environment") else { return [:] }
        guard case .mapping(let mapping) = node else {
            throw fields.error(
                "environment", "has to be a list of variables, such as { ACCOUNT: anna }")
        }
        var variables: [String: String] = [:]
        for (key, value) in mapping {
            guard let name = key.string, let text = value.string, !text.contains("\0")
            else {
                throw fields.error(
                    "environment", "\(key.string ?? ""): has to be a single value, such as anna")
            }
            variables[name] = text
        }
        return variables
    }
}
