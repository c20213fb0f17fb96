// The token's format: `[linkcond:1`, then a blank and a word for each setting, then `]`, at the end
// of the alias and at its start or after a blank. An alias is bytes, not necessarily text. A
// sandbox writes its own token with the interface's properties before that; to the override it is
// foreign text.

extension NetworkMark {
    /// The longest alias that the kernel accepts, in bytes.
    public static let longestAlias = 255

    private static let opening = Array("[linkcond:1".utf8)
    private static let sandboxOpening = Array("[linkcond-sandbox:1".utf8)
    private static let blank = UInt8(ascii: " ")
    private static let closing = UInt8(ascii: "]")

    /// Reads the override in an alias; nil if it has none.
    public init?(alias: [UInt8]) {
        guard let start = Self.tokenStart(Self.opening, in: alias) else { return nil }
        self.init(words: Self.words(of: alias[start...], behind: Self.opening))
    }

    /// Reads the sandbox's token in an alias; nil if it has none.
    public init?(sandboxIn alias: [UInt8]) {
        let foreign = Self.foreignText(of: alias)
        guard let start = Self.tokenStart(Self.sandboxOpening, in: foreign) else { return nil }
        self.init(words: Self.words(of: foreign[start...], behind: Self.sandboxOpening))
    }

    /// What apps see: the override on top of the sandbox's token; nil if there is neither.
    public static func effective(alias: [UInt8]) -> NetworkMark? {
        guard let sandbox = NetworkMark(sandboxIn: alias) else { return NetworkMark(alias: alias) }
        guard var mark = NetworkMark(alias: alias) else { return sandbox }
        if mark.cost == .default { mark.cost = sandbox.cost }
        mark.isConstrained = mark.isConstrained ?? sandbox.isConstrained
        if mark.kind == nil, !mark.isHotspot {
            (mark.kind, mark.isHotspot) = (sandbox.kind, sandbox.isHotspot)
        }
        mark.isCaptive = sandbox.isCaptive
        return mark
    }

    /// The alias with this mark instead of its previous one and all other text unchanged; nil if it
    /// does not fit. An empty mark leaves no token.
    public func written(into alias: [UInt8]) -> [UInt8]? {
        let foreign = Self.foreignText(of: alias)
        guard !isEmpty else { return foreign }
        let written =
            foreign + (foreign.isEmpty ? [] : [Self.blank]) + token(opening: Self.opening)
        return written.count <= Self.longestAlias ? written : nil
    }

    /// The alias that a sandbox gives its interface.
    public var sandboxAlias: [UInt8] { token(opening: Self.sandboxOpening) }

    /// The text in an alias that linkcond did not write.
    public static func foreignText(of alias: [UInt8]) -> [UInt8] {
        guard let start = tokenStart(opening, in: alias) else { return alias }
        return Array(alias[..<max(0, start - 1)])
    }

    private func token(opening: [UInt8]) -> [UInt8] {
        opening + words.flatMap { [Self.blank] + Array($0.utf8) } + [Self.closing]
    }

    /// The start of the token.
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

    /// Whether it is lower-case letters and digits, optionally followed by an equals sign and a
    /// value.
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
            isHotspot ? "hot" : nil, isPreferred ? "pref" : nil, isCaptive ? "portal" : nil,
            ends.map { "ends=\($0)" },
            watcher.map { "watch=\($0)" },
        ].compactMap { $0 } + unknownWords
    }

    /// Reads the words of a token. If two contradict each other, the later one wins.
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
        case ("portal", nil): isCaptive = true
        case ("ends", let value?):
            guard let moment = Int64(value) else { return false }
            ends = moment
        case ("watch", let value?): watcher = value
        case (let name, nil):
            guard let kind = Self.kindWords.first(where: { $0.1 == name })?.0 else { return false }
            self.kind = kind
        default: return false
        }
        return true
    }
}
