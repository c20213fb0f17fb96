import AssetDownloads
import Foundation

/// The words of the command line.
struct CommandWords {
    enum Verb: String { case app, `extension`, simulate }

    struct Problem: Error { let description: String }

    var verb: Verb
    /// Nil for `simulate --terminate`.
    var event: AssetEvent?
    var manifest = URL(filePath: "/")
    var directory = URL(filePath: "/")
    /// The assets on demand that the app asks for.
    var requested: Set<String> = []
    /// The options with a number.
    var seconds: [String: Double] = [:]
    /// The words for the extension.
    private(set) var passedOn: [String] = []

    static let usage = """
        usage: prefetch-assets app MANIFEST-URL DIRECTORY [--get NAME]...
               prefetch-assets extension install|update|periodic MANIFEST-URL DIRECTORY
               prefetch-assets simulate --app-install|--app-update|--periodic MANIFEST-URL DIRECTORY
                               [--time SECONDS] [--memory MB] [--grace SECONDS]
               prefetch-assets simulate --terminate DIRECTORY
        Options of all but the last: --wait SECONDS for a network that is neither expensive nor
        constrained (a week); --lease SECONDS until a stopped process loses the assets (10)
        """

    private static let numbers: [Verb: Set<String>] = [
        .app: ["--wait", "--lease"], .extension: ["--wait", "--lease"],
        .simulate: ["--wait", "--lease", "--time", "--memory", "--grace"],
    ]
    private static let events: [String: AssetEvent] = [
        "--app-install": .install, "--app-update": .update, "--periodic": .periodic,
    ]

    init(_ words: [String]) throws(Problem) {
        var words = words[...]
        guard let verb = words.popFirst().flatMap(Verb.init) else {
            throw Problem(description: "the first word is app, extension or simulate")
        }
        self.verb = verb
        var plain: [String] = []
        var terminates = false
        if verb == .app { event = .launch }
        while let word = words.popFirst() {
            if Self.numbers[verb]?.contains(word) == true {
                guard let value = words.popFirst(), let number = Double(value), number > 0 else {
                    throw Problem(description: "\(word) needs a number above 0")
                }
                seconds[word] = number
                if ["--wait", "--lease"].contains(word) { passedOn += [word, value] }
            } else if verb == .app, word == "--get" {
                guard let name = words.popFirst() else {
                    throw Problem(description: "--get needs the name of an asset")
                }
                requested.insert(name)
            } else if verb == .simulate, let event = Self.events[word] {
                self.event = event
            } else if verb == .simulate, word == "--terminate" {
                terminates = true
            } else if word.hasPrefix("-") {
                throw Problem(description: "\(verb.rawValue) has no option \(word)")
            } else {
                plain.append(word)
            }
        }
        if verb == .extension {
            guard let event = plain.first.flatMap(AssetEvent.init), event != .launch else {
                throw Problem(description: "extension needs an event: install, update or periodic")
            }
            self.event = event
            plain.removeFirst()
        }
        guard (event == nil) == terminates, plain.count == (terminates ? 1 : 2) else {
            throw Problem(
                description: terminates
                    ? "simulate --terminate needs a directory and nothing else"
                    : verb == .simulate && event == nil
                        ? "simulate needs --app-install, --app-update, --periodic or --terminate"
                        : "\(verb.rawValue) needs the URL of a manifest and a directory")
        }
        directory = URL(filePath: plain[plain.count - 1], directoryHint: .isDirectory)
        guard !terminates else { return }
        guard let url = URL(string: plain[0]), ["http", "https"].contains(url.scheme ?? ""),
            url.host != nil
        else { throw Problem(description: "\(plain[0]) is no http or https URL") }
        manifest = url
        passedOn += plain
    }
}
