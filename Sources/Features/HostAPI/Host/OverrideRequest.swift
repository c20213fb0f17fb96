import HTTPAPI

/// What a client wants apps to see of an interface; what it does not name stays.
struct OverrideRequest {
    private let options: [String]

    init(_ fields: JSONFields) throws {
        try fields.expect(only: ["cost", "lowData", "kind", "prefer", "for"])
        var options: [String] = []
        for (key, option) in [
            ("cost", "--cost"), ("lowData", "--low-data"), ("kind", "--kind"), ("for", "--for"),
        ] {
            if let text = try fields.text(key) {
                options += [option, try HostFace.word(text, "a value of \(key)")]
            }
        }
        if let isPreferred = try fields.flag("prefer") {
            options.append(isPreferred ? "--prefer" : "--no-prefer")
        }
        self.options = options
    }

    /// The words of the command.
    func words(_ interface: String) -> [String] { ["override", "set", "-i", interface] + options }
}
