import CLinux

/// How much memory this process may have.
public enum MemoryLimit {
    /// The limit of its addresses in bytes (`ulimit -v`); nil without one.
    public static var addressSpace: UInt64? {
        let limit = lc_address_space_limit()
        return limit > 0 ? limit : nil
    }

    /// What its control groups leave to all their processes together, in bytes; nil without a limit, or
    /// where nobody tells.
    public static var controlGroups: UInt64? {
        OwnControlGroups.current.flatMap { least(in: $0) { try? SmallFile.read($0) } }
    }

    /// The least of all groups.
    ///
    /// - Parameter read: reads a file; nil if it is not there.
    static func least(in groups: OwnControlGroups, read: (String) -> String?) -> UInt64? {
        let files =
            groups.unified.map { $0 + "/memory.max" }
            + groups.legacy("memory").map { $0 + "/memory.limit_in_bytes" }
        // Version 2 says `max` where there is no limit, version 1 a number larger than any memory.
        return files.compactMap { file in
            read(file).flatMap { $0.split(whereSeparator: \.isWhitespace).first }
                .flatMap { UInt64($0) }
        }.min()
    }
}
