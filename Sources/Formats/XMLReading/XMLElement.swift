/// An element of an XML document, with all that is in it.
public struct XMLElement: Sendable, Hashable {
    /// The name as written, a namespace's prefix included.
    public var name: String
    /// The values of the attributes by name.
    public var attributes: [String: String]
    /// What is between its tags, in order.
    public var content: [Content]

    /// A piece of what an element contains. Comments and processing instructions are left out.
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

    /// The elements directly in it.
    public var elements: [XMLElement] {
        content.compactMap {
            if case .element(let element) = $0 { element } else { nil }
        }
    }

    /// The text directly in it, without that of the elements in it.
    public var text: String {
        content.reduce(into: "") {
            if case .text(let text) = $1 { $0 += text }
        }
    }
}

/// Why a document could not be read.
public struct XMLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line on which reading ended, from 1.
    public let line: Int
    /// What is wrong there, such as `mismatched tag`.
    public let reason: String

    /// One sentence.
    public var description: String { "line \(line): \(reason)" }
}
