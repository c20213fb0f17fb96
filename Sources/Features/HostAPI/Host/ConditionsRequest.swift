import HTTPAPI

/// Conditions on an interface.
struct ConditionsPlace: Sendable, Hashable {
    let interface: String
    let name: String

    /// The options that name it.
    var words: [String] {
        ["-i", interface] + (name == Self.defaultName ? [] : ["--name", name])
    }

    /// The name of unnamed conditions.
    static let defaultName = "default"
}

/// What a client wants of an interface.
struct ConditionsRequest: Equatable {
    private static let keys = [
        "profile", "settings", "selectors", "direction", "for", "backend", "seed", "force",
    ]

    private let profile: String
    private let options: [String]

    /// Reads a request; its words are not yet looked at.
    init(_ fields: JSONFields) throws {
        try fields.expect(only: Self.keys)
        profile = try Self.profile(fields.requiredText("profile"))
        var options: [String] = []
        for setting in try fields.texts("settings") ?? [] {
            options += ["--set", try HostFace.word(setting, "a setting")]
        }
        for selector in try fields.texts("selectors") ?? [] {
            options += try Self.selector(selector, fields)
        }
        for key in ["direction", "for", "backend"] {
            if let text = try fields.text(key) {
                options += ["--\(key)", try HostFace.word(text, "a value of \(key)")]
            }
        }
        if let seed = try fields.unsigned("seed") { options += ["--seed", "\(seed)"] }
        if try fields.flag("force") == true { options.append("--force") }
        self.options = options
    }

    /// The name of a profile: files are for those who sit at the host.
    static func profile(_ text: String) throws(APIError) -> String {
        let name = try HostFace.word(text, "a profile")
        guard !name.hasPrefix("/"), !name.hasPrefix("."), !name.hasPrefix("~") else {
            throw APIError(
                400, "profile: name one of the profiles of GET /v1/host/profiles", field: "profile")
        }
        return name
    }

    private static let selectors = [
        "--to", "--from", "--port", "--to-port", "--from-port", "--protocol", "--user", "--cgroup",
        "--unit", "--process", "--except", "--family",
    ]

    /// The words of `--port 443`, as the status shows it.
    private static func selector(_ text: String, _ fields: JSONFields) throws -> [String] {
        let words = text.split(separator: " ", maxSplits: 1).map(String.init)
        guard words.count == 2, selectors.contains(words[0]) else {
            throw fields.problem(
                "selectors",
                "write an option and a value, as in --port 443; there are "
                    + selectors.joined(separator: ", "))
        }
        return [words[0], try HostFace.word(words[1], "a value of \(words[0])")]
    }

    /// The words of the command.
    func words(_ place: ConditionsPlace, replacing: Bool) -> [String] {
        ["apply", profile] + place.words + options + (replacing ? ["--replace"] : [])
    }
}
