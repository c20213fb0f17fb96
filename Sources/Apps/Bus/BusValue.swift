/// A D-Bus value.
///
/// The types are those of the D-Bus specification, "Type System", except file descriptors.
public indirect enum BusValue: Sendable, Hashable {
    case byte(UInt8)
    case bool(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case path(ObjectPath)
    case signature(String)
    /// Values of the signature `of`.
    case array(of: String, [BusValue])
    case structure([BusValue])
    /// A dictionary entry; a dictionary is an array of entries.
    case entry(BusValue, BusValue)
    /// A value that carries its own signature.
    case variant(BusValue)

    /// The D-Bus type signature.
    public var signature: String {
        switch self {
        case .byte: "y"
        case .bool: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .path: "o"
        case .signature: "g"
        case .array(let element, _): "a" + element
        case .structure(let fields): "(" + fields.map(\.signature).joined() + ")"
        case .entry(let key, let value): "{" + key.signature + value.signature + "}"
        case .variant: "v"
        }
    }

    /// Object paths: `ao`.
    public static func paths(_ paths: [ObjectPath]) -> BusValue {
        .array(of: "o", paths.map { .path($0) })
    }

    /// Strings: `as`.
    public static func strings(_ texts: [String]) -> BusValue {
        .array(of: "s", texts.map { .string($0) })
    }

    /// Named values of any type: `a{sv}`, sorted by name.
    public static func dictionary(_ values: [String: BusValue]) -> BusValue {
        .array(
            of: "{sv}",
            values.sorted { $0.key < $1.key }.map { .entry(.string($0.key), .variant($0.value)) })
    }

    /// Groups of named values: `a{sa{sv}}`, sorted by name.
    public static func groups(_ groups: [String: [String: BusValue]]) -> BusValue {
        .array(
            of: "{sa{sv}}",
            groups.sorted { $0.key < $1.key }.map { .entry(.string($0.key), .dictionary($0.value)) }
        )
    }
}

extension BusValue {
    /// The text of a string or path.
    public var text: String? {
        switch self {
        case .string(let text): text
        case .path(let path): path.text
        default: nil
        }
    }

    /// The number of a `u`.
    public var number: UInt32? {
        guard case .uint32(let number) = self else { return nil }
        return number
    }

    /// The number of an `i`.
    public var signedNumber: Int32? {
        guard case .int32(let number) = self else { return nil }
        return number
    }

    /// The paths of an `ao`.
    public var paths: [ObjectPath]? {
        guard case .array("o", let elements) = self else { return nil }
        return elements.compactMap(\.text).map { ObjectPath($0) }
    }

    /// The value in a variant; any other value itself.
    public var content: BusValue {
        guard case .variant(let value) = self else { return self }
        return value
    }

    /// The named values of an `a{sv}`, without their variants.
    public var dictionary: [String: BusValue]? {
        entries { $0.content }
    }

    /// The groups of an `a{sa{sv}}`.
    public var groups: [String: [String: BusValue]]? {
        entries { $0.dictionary ?? [:] }
    }

    private func entries<Value>(_ value: (BusValue) -> Value) -> [String: Value]? {
        guard case .array(_, let elements) = self else { return nil }
        var found: [String: Value] = [:]
        for case .entry(.string(let key), let element) in elements { found[key] = value(element) }
        return found
    }
}

/// The path of an object on a bus.
public struct ObjectPath: Sendable, Hashable, Comparable, ExpressibleByStringLiteral {
    /// The text, such as `/org/freedesktop/NetworkManager`.
    public let text: String

    /// Makes a path from well-formed text.
    public init(_ text: String) {
        self.text = text
    }

    /// Makes a path from a literal.
    public init(stringLiteral text: String) {
        self.text = text
    }

    /// NetworkManager's notation for "no object".
    public static let none: ObjectPath = "/"

    /// The names of the direct children of this path among `paths`.
    public func children(among paths: some Sequence<ObjectPath>) -> [String] {
        let prefix = text == "/" ? "/" : text + "/"
        let names = paths.compactMap { path -> String? in
            guard path.text.hasPrefix(prefix), path.text.count > prefix.count else { return nil }
            return path.text.dropFirst(prefix.count).split(separator: "/").first.map(String.init)
        }
        return Set(names).sorted()
    }

    /// Orders by text.
    public static func < (left: ObjectPath, right: ObjectPath) -> Bool { left.text < right.text }
}
