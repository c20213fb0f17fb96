import CLinux
public import SystemPackage

/// How many descriptors this process may have open.
public enum DescriptorLimit {
    /// Raises the limit as far as the process may, and returns it. Equivalent to `ulimit -Hn`.
    public static func raise() throws(Errno) -> Int {
        Int(try checked(lc_raise_descriptor_limit()))
    }

    /// The limit as it is. Equivalent to `ulimit -n`.
    public static var current: Int { Int(lc_descriptor_limit()) }

    /// How many are open. Of those that a caller gave numbers of its own choice beyond the first
    /// thousand it knows nothing.
    public static var inUse: Int { Int(lc_open_descriptors()) }

    /// What to do about `reason`, as the end of a sentence, if it is this limit.
    public static func hint(_ reason: Errno) -> String {
        guard reason == .tooManyOpenFiles else { return "" }
        return "; this process may have \(current) descriptors open, allow it more with ulimit -n"
    }
}

extension Errno {
    /// Whether the process or the system has no descriptors left.
    public var isLackOfDescriptors: Bool {
        self == .tooManyOpenFiles || self == .tooManyOpenFilesInSystem
    }
}

/// A descriptor kept for the moment in which there is no other.
///
/// A listener whose connection finds no descriptor keeps it waiting, and goes on saying so. With
/// this one it can be taken and ended.
public final class SpareDescriptor {
    private var descriptor: FileDescriptor?

    /// Takes one.
    public init() { refill() }

    deinit { try? descriptor?.close() }

    /// Calls `body` while there is room for one descriptor more.
    public func lend<Result>(to body: () -> Result) -> Result {
        try? descriptor?.close()
        defer { refill() }
        return body()
    }

    private func refill() {
        descriptor = try? FileDescriptor.open(
            FilePath("/dev/null"), .readOnly, options: .closeOnExec)
    }
}
