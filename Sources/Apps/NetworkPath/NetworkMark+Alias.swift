// A token: `[linkcond:1`, a blank and a word for each thing it says, `]`, at the end of the alias,
// at its start or behind a blank. An alias is bytes, which need not be text. A sandbox says in a
// token of its own, in front of that, what the interface is; to the override it is text of others.

extension NetworkMark {
    /// How many bytes the kernel takes for an alias.
    public static let longestAlias = 255

    private static let opening = Array("[linkcond:1".utf8)
    private static let sandboxOpening = Array("[linkcond-sandbox:1".utf8)
    private static let blank = UInt8(ascii: " ")
    private static let closing = UInt8(ascii: "]")

    /// Reads the override of an alias; nil if it has none.
    public init?(alias: [UInt8]) {
        guard let start = Self.tokenStart(Self.opening, in: alias) else { return nil }
        self.init(words: Self.words(of: alias[start...], behind: Self.opening))
    }

    /// Reads what a sandbox says that the interface is; nil if it says nothing.
    public init?(sandboxIn alias: [UInt8]) {
        let foreign = Self.foreignText(of: alias)
        guard let start = Self.tokenStart(Self.sandboxOpening, in: foreign) else { return nil }
        self.init(words: Self.words(of: foreign[start...], behind: Self.sandboxOpening))
    }

    /// What apps see: the override on top of what a sandbox says; nil if there is neither.
    public static func effective(alias: [UInt8]) -> NetworkMark? {
        guard let sandbox = NetworkMark(sandboxIn: alias) else { return NetworkMark(alias: alias) }
        guard var mark = NetworkMark(alias: alias) else { return sandbox }
        if mark.cost == .default { mark.cost = sandbox.cost }
        mark.isConstrained = mark.isConstrained ?? sandbox.isConstrained
        if mark.kind == nil, !mark.isHotspot {
            (mark.kind, mark.isHotspot) = (sandbox.kind, sandbox.isHotspot)
        }
        return mark
    }

    /// The alias with this mark in place of the one it had, and all other text as it was; nil if
    /// there is no room for it. A mark that says nothing leaves none.
    public func written(into alias: [UInt8]) -> [UInt8]? {
        let foreign = Self.foreignText(of: alias)
        guard !isEmpty else { return foreign }
        let written =
            foreign + (foreign.isEmpty ? [] : [Self.blank]) + token(opening: Self.opening)
        return written.count <= Self.longestAlias ? written : nil
    }

    /// The alias by which a sandbox says what its interface is.
    public var sandboxAlias: [UInt8] { token(opening: Self.sandboxOpening) }

    /// What others have put into an alias.
    public static func foreignText(of alias: [UInt8]) -> [UInt8] {
        guard let start = tokenStart(opening, in: alias) else { return alias }
        return Array(alias[..<max(0, start - 1)])
    }

    private func token(opening: [UInt8]) -> [UInt8] {
        opening + words.flatMap { [Self.blank] + Array($0.utf8) } + [Self.closing]
    }

    /// Where the token begins.
    private static func tokenStart(_ opening: [UInt8], in alias: [UInt8]) -> Int? {
        guard alias.last == closing else { return nil }
        let starts = alias.indices.reversed().filter { alias[$0...].starts(with: opening) }
        guard let start = starts.first, start == 0 || alias[start - 1] == blank else { return nil }
        let inside = alias[(start + opening.count)...].dropLast()
        guard inside.isEmpty || inside.first == blank else { return nil }
        let words = inside.dropFirst().split(separator: blank, omittingEmptySubsequences: false)
        return inside.isEmpty || words.allSatisfy(isWord) ? start : nil
    }

    private static func words(of token: ArraySlice<UInt8>, behind opening: [UInt8]) -> [String] {
        token.dropFirst(opening.count).dropLast().split(separator: blank)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Small letters and digits, and perhaps a value behind an equals sign.
    private static func isWord(_ word: ArraySlice<UInt8>) -> Bool {
        let parts = word.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: false)
        return parts.count <= 2
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.allSatisfy {
                        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    }
            }
    }
}

extension NetworkMark {
    private static let kindWords: [(NetworkInterface.Kind, String)] = [
        (.wifi, "wifi"), (.cellular, "cell"), (.wired, "wired"), (.loopback, "loop"),
        (.other, "other"),
    ]

    /// The words of the token.
    var words: [String] {
        let costWord: String? =
            switch cost {
            case .default: nil
            case .inexpensive: "inexp"
            case .expensive: "exp"
            }
        return [
            costWord, isConstrained.map { $0 ? "con" : "noncon" },
            kind.flatMap { kind in Self.kindWords.first { $0.0 == kind }?.1 },
            isHotspot ? "hot" : nil, isPreferred ? "pref" : nil, until.map { "until=\($0)" },
            watcher.map { "watch=\($0)" },
        ].compactMap { $0 } + unknownWords
    }

    /// Reads the words of a token. Of two that contradict each other the later one counts.
    init(words: [String]) {
        self.init()
        for word in words { if !read(word) { unknownWords.append(word) } }
    }

    private mutating func read(_ word: String) -> Bool {
        let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
        switch (parts[0], parts.count > 1 ? parts[1] : nil) {
        case ("exp", nil): cost = .expensive
        case ("inexp", nil): cost = .inexpensive
        case ("con", nil): isConstrained = true
        case ("noncon", nil): isConstrained = false
        case ("hot", nil): isHotspot = true
        case ("pref", nil): isPreferred = true
        case ("until", let value?):
            guard let moment = Int64(value) else { return false }
            until = moment
        case ("watch", let value?): watcher = value
        case (let name, nil):
            guard let kind = Self.kindWords.first(where: { $0.1 == name })?.0 else { return false }
            self.kind = kind
        default: return false
        }
        return true
    }
}
