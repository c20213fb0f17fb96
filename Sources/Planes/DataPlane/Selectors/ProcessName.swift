import LinuxKernel

/// The name of a program, as processes have it.
public struct ProcessName: Sendable, Hashable, CustomStringConvertible {
    /// How many names can be chosen at once on all interfaces of a network namespace.
    public static let mostAtOnce = SocketOwners.mostNames
    /// File names are not longer.
    private static let longest = 255

    /// The name, which may have blanks.
    public let description: String

    /// Parses the value of `option`.
    public init(_ text: String, option: String) throws(SelectorError) {
        guard !text.isEmpty, text.utf8.count <= Self.longest else {
            throw SelectorError(
                option, text.isEmpty ? "\"\"" : text,
                "is not the name of a program: names have 1 to \(Self.longest) bytes")
        }
        guard !text.utf8.contains(UInt8(ascii: "/")) else {
            let last = text.split(separator: "/").last.map { "; write \($0)" } ?? ""
            throw SelectorError(
                option, text,
                "is a path, and programs are chosen by the last part of theirs\(last)")
        }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
            throw SelectorError(
                option, "\(text.debugDescription)",
                "has control characters, which names of programs cannot have here")
        }
        description = text
    }

    /// Whether a process of that name runs, as far as the caller can see.
    public var isRunning: Bool { RunningProcess.all.contains { $0.isCalled(description) } }

    /// The names that processes have now, for choosing one.
    public static var running: [String] {
        Set(RunningProcess.all.compactMap(\.executableName)).sorted()
    }

    // MARK: In the text of a selector

    /// The name without characters that mean something in the text of a selector.
    var encoded: String {
        description.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "%"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="), 0x20,
                0x80...:
                "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            default: String(UnicodeScalar(byte))
            }
        }.joined()
    }

    /// Parses what `encoded` wrote.
    init(encoded: String, option: String) throws(SelectorError) {
        let parts = encoded.split(separator: "%", omittingEmptySubsequences: false)
        var bytes = Array(parts[0].utf8)
        for part in parts.dropFirst() {
            guard part.utf8.count >= 2, let byte = UInt8(part.prefix(2), radix: 16) else {
                throw SelectorError(option, encoded, "is no name of a program")
            }
            bytes += [byte] + part.utf8.dropFirst(2)
        }
        try self.init(String(decoding: bytes, as: UTF8.self), option: option)
    }
}
