/// A value of a YAML document with its line.
public enum YAMLNode: Sendable, Hashable {
    case scalar(Scalar)
    case sequence(Sequence)
    case mapping(Mapping)

    /// A single value. It is a text, whether it looks like a number or not.
    public struct Scalar: Sendable, Hashable {
        /// What it says, without quotes.
        public let string: String
        /// Where it begins.
        public let line: Int?

        /// Makes a value.
        public init(_ string: String, line: Int? = nil) {
            self.string = string
            self.line = line
        }
    }

    /// A list of values.
    public struct Sequence: Sendable, Hashable, RandomAccessCollection {
        private let elements: [YAMLNode]
        /// Where it begins.
        public let line: Int?

        /// Makes a list.
        public init(_ elements: [YAMLNode], line: Int? = nil) {
            self.elements = elements
            self.line = line
        }

        /// The index of the first element.
        public var startIndex: Int { elements.startIndex }
        /// The number of elements.
        public var endIndex: Int { elements.endIndex }
        /// The element at an index.
        public subscript(position: Int) -> YAMLNode { elements[position] }
    }

    /// Values by keys, in the order of the document.
    public struct Mapping: Sendable, Hashable, RandomAccessCollection {
        /// A key with its value.
        public typealias Element = (key: YAMLNode, value: YAMLNode)

        private let keys: [YAMLNode]
        private let values: [YAMLNode]
        /// Where it begins.
        public let line: Int?

        /// Makes a mapping.
        public init(_ pairs: [(YAMLNode, YAMLNode)], line: Int? = nil) {
            keys = pairs.map(\.0)
            values = pairs.map(\.1)
            self.line = line
        }

        /// The index of the first key.
        public var startIndex: Int { keys.startIndex }
        /// The number of keys.
        public var endIndex: Int { keys.endIndex }
        /// The key and the value at an index.
        public subscript(position: Int) -> Element { (keys[position], values[position]) }

        /// The value under a key.
        public subscript(key: String) -> YAMLNode? { first { $0.key.string == key }?.value }
    }

    /// Makes a single value.
    public init(_ string: String) {
        self = .scalar(Scalar(string))
    }

    /// The text of a single value.
    public var string: String? {
        if case .scalar(let scalar) = self { scalar.string } else { nil }
    }

    /// The elements of a list.
    public var elements: Sequence? {
        if case .sequence(let sequence) = self { sequence } else { nil }
    }

    /// Where it begins, counted from 1; nil if it comes from no document.
    public var line: Int? {
        switch self {
        case .scalar(let scalar): scalar.line
        case .sequence(let sequence): sequence.line
        case .mapping(let mapping): mapping.line
        }
    }
}
