import HTTPAPI

/// The words after `linkcond-api panel`, which `linkcond serve` gives.
struct PanelOptions {
    let address: APIAddress
    let certificate: PanelCertificate?
    let hostNames: Set<String>
    let program: String
    let version: String
    /// The lines to say once it serves.
    let messages: [String]

    /// Reads the words; nil if they are others.
    init?(_ words: [String]) {
        var values: [String: [String]] = [:]
        for index in stride(from: 0, to: words.count, by: 2) {
            guard words[index].hasPrefix("--"), index + 1 < words.count else { return nil }
            values[words[index], default: []].append(words[index + 1])
        }
        guard let address = values["--address"]?.first.flatMap(APIAddress.init),
            let program = values["--program"]?.first
        else { return nil }
        self.address = address
        self.program = program
        if let file = values["--certificate"]?.first, let keyFile = values["--key"]?.first {
            certificate = PanelCertificate(file: file, keyFile: keyFile)
        } else {
            certificate = nil
        }
        hostNames = Set(values["--host-name"] ?? [])
        version = values["--version"]?.first ?? "?"
        messages = values["--message"] ?? []
    }
}
