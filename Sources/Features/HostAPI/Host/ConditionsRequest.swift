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
        "profile", "settings", "direction", "for", "backend", "seed",
    ]

    private let profile: String
    private let options: [String]

    /// Reads a request; its words are not yet looked at.
    init(_ fields: JSONFields) throws {
        try fields.expect(only: Self.keys)
        profile = try HostFace.word(fields.requiredText("profile"), "a profile")
        // Files are for those who sit at the host.
        guard !profile.hasPrefix("/"), !profile.hasPrefix("."), !profile.hasPrefix("~") else {
            throw fields.problem("profile", "name one of the profiles of GET /v1/host/profiles")
        }
        var options: [String] = []
        for setting in try fields.texts("settings") ?? [] {
            options += ["--set", try HostFace.word(setting, "a setting")]
        }
        for key in ["direction", "for", "backend"] {
            if let text = try fields.text(key) {
                options += ["--\(key)", try HostFace.word(text, "a value of \(key)")]
            }
        }
        if let seed = try fields.unsigned("seed") { options += ["--seed", "\(seed)"] }
        self.options = options
    }

    /// The words of the command.
    func words(_ place: ConditionsPlace, replacing: Bool) -> [String] {
        ["apply", profile] + place.words + options + (replacing ? ["--replace"] : [])
    }
}
