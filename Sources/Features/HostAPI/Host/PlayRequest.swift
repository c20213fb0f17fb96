import HTTPAPI

/// A scenario that a client wants to be played.
struct PlayRequest {
    let scenario: String
    let seed: UInt64
    /// The words of the command.
    let words: [String]

    init(_ fields: JSONFields) throws {
        try fields.expect(only: ["scenario", "interfaces", "seed", "backend"])
        scenario = try Self.name(fields.requiredText("scenario"))
        seed = try fields.unsigned("seed") ?? UInt64(UInt32.random(in: 0 ... .max))
        var words = ["play", scenario]
        for interface in try fields.texts("interfaces") ?? [] {
            words += ["-i", try HostFace.word(interface, "an interface")]
        }
        if let backend = try fields.text("backend") {
            words += ["--backend", try HostFace.word(backend, "a value of backend")]
        }
        // With a seed of its own, the times of its events are known before.
        self.words = words + ["--seed", "\(seed)"]
    }

    /// The name of a scenario: files are for those who sit at the host.
    static func name(_ text: String) throws(APIError) -> String {
        let name = try HostFace.word(text, "a scenario")
        guard !name.hasPrefix("/"), !name.hasPrefix("."), !name.hasPrefix("~"),
            !name.hasSuffix(".yaml"), !name.hasSuffix(".yml")
        else {
            throw APIError(
                400, "name one of the scenarios of GET /v1/host/scenarios", field: "scenario")
        }
        return name
    }
}
