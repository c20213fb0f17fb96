import SystemPackage

/// A kernel parameter (`sysctl(8)`). If it is per network namespace, it is that of the calling
/// thread.
public struct KernelParameter: Sendable, Hashable {
    private let path: FilePath

    /// Names a parameter by its path under `/proc/sys`, such as `net/ipv4/tcp_wmem`.
    public init(_ name: String) {
        path = FilePath("/proc/sys/" + name)
    }

    /// Its value, without the newline.
    public func read() throws(KernelError) -> String {
        // The kernel makes room for as much as is asked for.
        let text = try SmallFile.read(path.string, limit: 1023)
        return String(decoding: text.utf8.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// Changes it.
    public func write(_ value: String) throws(KernelError) {
        try Namespaces.write(value, to: path.string)
    }
}
