/// The contents of another tool's file.
public struct ForeignFile: Sendable {
    /// The file as the user named it, for errors.
    public let name: String
    /// Its absolute path, for profiles to refer to; nil if it has none, such as a pipe.
    public let path: String?
    /// The contents, without a byte order mark, which editors of Windows write.
    public let bytes: [UInt8]

    /// Makes a file.
    public init(name: String, path: String?, bytes: [UInt8]) {
        self.name = name
        self.path = path
        let mark = Array("\u{feff}".utf8)
        self.bytes = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
    }

    /// The name without directories.
    var lastComponent: String { name.split(separator: "/").last.map(String.init) ?? name }

    /// The name without directories and without the last extension.
    var stem: String {
        let name = lastComponent
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name }
        return String(name[..<dot])
    }
}
