import CExpat

/// Reads XML with libexpat.
///
/// Theory of operation. FoundationXML would add libxml2 and 30 MB of ICU to the static program;
/// libexpat is 180 kB. The input may be hostile: documents with a document type, and thus with
/// their own entities, are refused, and so is nesting deeper than in any report.
public enum XMLDocument {
    /// How deep elements may be nested.
    static let depthLimit = 64

    /// Reads a document in UTF-8, UTF-16, ISO-8859-1 or ASCII.
    ///
    /// - Returns: its outermost element.
    public static func read(_ bytes: [UInt8]) throws(XMLError) -> XMLElement {
        guard bytes.count < Int32.max else {
            throw XMLError(line: 1, reason: "too long")
        }
        guard let parser = unsafe XML_ParserCreate(nil) else {
            throw XMLError(line: 1, reason: "no memory left")
        }
        defer { unsafe XML_ParserFree(parser) }
        let builder = unsafe TreeBuilder(parser)
        // The parser, and thus the builder, lives only as long as this call.
        let status = withExtendedLifetime(builder) {
            unsafe setHandlers(of: parser, Unmanaged.passUnretained(builder).toOpaque())
            return unsafe bytes.withUnsafeBytes { buffer in
                unsafe XML_Parse(
                    parser, buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
                    Int32(buffer.count), 1)
            }
        }
        let line = Int(unsafe XML_GetCurrentLineNumber(parser))
        if let refusal = builder.refusal { throw XMLError(line: line, reason: refusal) }
        guard status == XML_STATUS_OK, let root = builder.root else {
            let code = unsafe XML_GetErrorCode(parser)
            let reason = unsafe XML_ErrorString(code).map { unsafe String(cString: $0) }
            throw XMLError(line: max(1, line), reason: reason ?? "not XML")
        }
        return root
    }

    private static func setHandlers(of parser: XML_Parser, _ builder: UnsafeMutableRawPointer) {
        unsafe XML_SetUserData(parser, builder)
        unsafe XML_SetElementHandler(
            parser,
            { builder, name, attributes in
                guard let name = unsafe name else { return }
                unsafe TreeBuilder.from(builder)?.begin(
                    String(cString: name), TreeBuilder.pairs(attributes))
            },
            { builder, _ in unsafe TreeBuilder.from(builder)?.end() })
        unsafe XML_SetCharacterDataHandler(parser) { builder, text, count in
            let bytes = unsafe UnsafeRawBufferPointer(start: text, count: Int(count))
            unsafe TreeBuilder.from(builder)?.add(String(decoding: bytes, as: UTF8.self))
        }
        unsafe XML_SetStartDoctypeDeclHandler(parser) { builder, _, _, _, _ in
            unsafe TreeBuilder.from(builder)?.refuse("a document type is not allowed here")
        }
    }
}

/// Builds elements from the parser's callbacks.
@safe
private final class TreeBuilder {
    private let parser: XML_Parser
    private var open: [XMLElement] = []
    /// Text arrives in pieces: a line, an entity.
    private var pendingText = ""
    private(set) var root: XMLElement?
    private(set) var refusal: String?

    init(_ parser: XML_Parser) {
        unsafe self.parser = parser
    }

    static func from(_ pointer: UnsafeMutableRawPointer?) -> TreeBuilder? {
        unsafe pointer.map { unsafe Unmanaged<TreeBuilder>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Alternating names and values, up to a null pointer.
    fileprivate static func pairs(
        _ list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
    ) -> [String: String] {
        var pairs: [String: String] = [:]
        guard var next = unsafe list else { return pairs }
        while let name = unsafe next[0], let value = unsafe next[1] {
            unsafe pairs[String(cString: name)] = unsafe String(cString: value)
            unsafe next += 2
        }
        return pairs
    }

    func begin(_ name: String, _ attributes: [String: String]) {
        guard open.count < XMLDocument.depthLimit else {
            return refuse("elements are nested more than \(XMLDocument.depthLimit) deep")
        }
        takeText()
        open.append(XMLElement(name: name, attributes: attributes))
    }

    func add(_ text: String) {
        pendingText += text
    }

    func end() {
        takeText()
        guard let element = open.popLast() else { return }
        if open.isEmpty {
            root = element
        } else {
            open[open.count - 1].content.append(.element(element))
        }
    }

    func refuse(_ reason: String) {
        guard refusal == nil else { return }
        refusal = reason
        _ = unsafe XML_StopParser(parser, 0)
    }

    private func takeText() {
        guard !pendingText.isEmpty, !open.isEmpty else { return }
        open[open.count - 1].content.append(.text(pendingText))
        pendingText = ""
    }
}
