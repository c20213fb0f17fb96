/// Reads YAML with libyaml.
///
/// Theory of operation. libyaml tells of a text step by step, and this makes a tree of them. The
/// package Yams would do the same, but needs full Foundation, whose ICU data are 38 MB of a static
/// program. Values stay texts with their lines: what a number is, or a flag, decides who reads the
/// field. An alias shares the value of its anchor, which must be complete, so nothing refers to
/// itself. The input may be hostile: nesting has a limit.
public enum YAMLDocument {
    /// How deep values may be nested.
    static let depthLimit = 100

    /// Reads a text with one document.
    ///
    /// - Returns: its outermost value, or nil if there is none.
    public static func read(_ text: String) throws(YAMLError) -> YAMLNode? {
        var composer = Composer(parser: try YAMLParser(text))
        return try composer.document()
    }
}

/// Makes values from the parser's steps.
private struct Composer {
    let parser: YAMLParser
    /// The latest value of each name.
    private var anchors: [String: YAMLNode] = [:]
    private var depth = 0

    init(parser: YAMLParser) {
        self.parser = parser
    }

    mutating func document() throws(YAMLError) -> YAMLNode? {
        // The beginning of the stream.
        _ = try parser.next()
        guard case .documentStart = try parser.next().kind else { return nil }
        let root = try node(at: parser.next())
        // The end of the document.
        _ = try parser.next()
        let behind = try parser.next()
        guard case .streamEnd = behind.kind else { throw .furtherDocument(line: behind.line) }
        return root
    }

    /// The value that begins with `event`; nil if instead a list or mapping ends.
    private mutating func node(at event: YAMLEvent) throws(YAMLError) -> YAMLNode? {
        switch event.kind {
        case .scalar(let string, let anchor):
            return keep(.scalar(YAMLNode.Scalar(string, line: event.line)), as: anchor)
        case .alias(let name):
            guard let node = anchors[name] else {
                throw .invalid(line: event.line, problem: "found undefined alias")
            }
            return node
        case .sequenceStart(let anchor):
            let elements = try nested(event) { composer throws(YAMLError) in
                try composer.elements()
            }
            return keep(.sequence(YAMLNode.Sequence(elements, line: event.line)), as: anchor)
        case .mappingStart(let anchor):
            let pairs = try nested(event) { composer throws(YAMLError) in
                try composer.pairs()
            }
            return keep(.mapping(YAMLNode.Mapping(pairs, line: event.line)), as: anchor)
        case .end, .documentStart, .documentEnd, .streamStart, .streamEnd: return nil
        }
    }

    private mutating func nested<Content>(
        _ event: YAMLEvent, _ read: (inout Composer) throws(YAMLError) -> Content
    ) throws(YAMLError) -> Content {
        guard depth < YAMLDocument.depthLimit else {
            throw .invalid(
                line: event.line, problem: "nested more than \(YAMLDocument.depthLimit) deep")
        }
        depth += 1
        defer { depth -= 1 }
        return try read(&self)
    }

    private mutating func elements() throws(YAMLError) -> [YAMLNode] {
        var elements: [YAMLNode] = []
        while let element = try node(at: parser.next()) { elements.append(element) }
        return elements
    }

    private mutating func pairs() throws(YAMLError) -> [(YAMLNode, YAMLNode)] {
        var pairs: [(YAMLNode, YAMLNode)] = []
        while let key = try node(at: parser.next()), let value = try node(at: parser.next()) {
            pairs.append((key, value))
        }
        try expectUniqueKeys(pairs)
        return pairs
    }

    private func expectUniqueKeys(_ pairs: [(YAMLNode, YAMLNode)]) throws(YAMLError) {
        var lines: [String: Int] = [:]
        var duplicates: Set<String> = []
        for (key, _) in pairs {
            guard let name = key.string else { continue }
            if lines[name] == nil { lines[name] = key.line } else { duplicates.insert(name) }
        }
        let names = duplicates.sorted()
        guard let first = names.first else { return }
        throw .duplicateKeys(names, line: lines[first] ?? 1)
    }

    private mutating func keep(_ node: YAMLNode, as anchor: String?) -> YAMLNode {
        if let anchor { anchors[anchor] = node }
        return node
    }
}
