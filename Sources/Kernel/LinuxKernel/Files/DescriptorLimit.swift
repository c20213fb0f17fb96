import CLinux
import Glibc
public import SystemPackage

/// The limit of open file descriptors of this process.
public enum DescriptorLimit {
    /// Raises the limit as far as the process may, and returns it. Equivalent to `ulimit -Hn`.
    public static func raise() throws(Errno) -> Int {
        Int(try checked(lc_raise_descriptor_limit()))
    }

    /// Raises the limit to `number` and also the highest that may be chosen, which takes
    /// `CAP_SYS_RESOURCE`; without that as far as the process may. Returns it.
    @discardableResult
    public static func raise(toAtLeast number: Int) throws(Errno) -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        if unsafe getrlimit(resource, &limit) == 0, limit.rlim_max < rlim_t(number) {
            limit = rlimit(rlim_cur: rlim_t(number), rlim_max: rlim_t(number))
            _ = unsafe setrlimit(resource, &limit)
        }
        return try raise()
    }

    /// The current limit. Equivalent to `ulimit -n`.
    public static var current: Int { Int(lc_descriptor_limit()) }

    /// How many descriptors are open. Misses those beyond the first thousand whose numbers a caller
    /// chose itself.
    public static var inUse: Int { Int(lc_open_descriptors()) }

    /// How to resolve `reason` if it is this limit, as the end of a sentence.
    public static func hint(_ reason: Errno) -> String {
        guard reason == .tooManyOpenFiles else { return "" }
        return "; this process may have \(current) descriptors open, allow it more with ulimit -n"
    }
}

extension Errno {
    /// Whether the process or the system has run out of descriptors.
    public var isLackOfDescriptors: Bool {
        self == .tooManyOpenFiles || self == .tooManyOpenFilesInSystem
    }
}

/// A descriptor reserved for when there is no other.
///
/// A connection that finds no free descriptor stays pending, and keeps its listener readable. With
/// the spare descriptor it can be accepted and closed.
public final class SpareDescriptor {
    private var descriptor: FileDescriptor?

    /// Reserves a descriptor.
    public init() { refill() }

    deinit { try? descriptor?.close() }

    /// Calls `body` while one more descriptor is available.
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
