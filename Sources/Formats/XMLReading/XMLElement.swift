/// An element of an XML document with its content.
public struct XMLElement: Sendable, Hashable {
    /// The name as written, including the namespace prefix.
    public var name: String
    /// The values of the attributes by name.
    public var attributes: [String: String]
    /// What is between its tags, in document order.
    public var content: [Content]

    /// A piece of an element's content. Comments and processing instructions are left out.
    public enum Content: Sendable, Hashable {
        case element(XMLElement)
        case text(String)
    }

    /// Makes an element.
    public init(name: String, attributes: [String: String] = [:], content: [Content] = []) {
        self.name = name
        self.attributes = attributes
        self.content = content
    }

    /// The child elements.
    public var elements: [XMLElement] {
        content.compactMap {
            if case .element(let element) = $0 { element } else { nil }
        }
    }

    /// The element's own text, without that of its child elements.
    public var text: String {
        content.reduce(into: "") {
            if case .text(let text) = $1 { $0 += text }
        }
    }
}

/// Why a document could not be read.
public struct XMLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line on which reading ended, counted from 1.
    public let line: Int
    /// What is wrong there, such as `mismatched tag`.
    public let reason: String

    /// One sentence.
    public var description: String { "line \(line): \(reason)" }
}
