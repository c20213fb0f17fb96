/// The words typed: the command, and the options that apply to every part of a matrix.
public struct MatrixWords: Sendable {
    /// The words of the command; the parser sees only the first.
    public let command: [String]
    /// The options before it that concern neither the plan nor this machine.
    public let lasting: [String]
    /// The directory of the work queue; nil: none.
    public let queue: String?

    private static let passing: Set = [
        "--plan", "--shards", "--shard", "--image", "--report", "--queue",
    ]

    /// Reads the words after the program's name.
    public init(_ words: [String]) {
        let hyphens = words.firstIndex(of: "--")
        command = hyphens.map { Array(words[($0 + 1)...]) } ?? []
        let options = words[..<(hyphens ?? words.endIndex)]
        let verb = options.firstIndex(of: "matrix").map { $0 + 1 } ?? options.endIndex
        var lasting: [String] = []
        var queue: String?
        var skipped: String?
        for word in options[verb...] {
            let name = word.split(separator: "=", maxSplits: 1).first.map(String.init) ?? word
            if let option = skipped {
                if option == "--queue" { queue = word }
                skipped = nil
            } else if Self.passing.contains(name) {
                skipped = name == word ? name : nil
                if name == "--queue", name != word {
                    queue = String(word.dropFirst(name.count + 1))
                }
            } else if word != "--json" {
                lasting.append(word)
            }
        }
        self.lasting = lasting
        self.queue = queue
    }
}
