/// Lock holders according to `/proc/locks`.
enum LockTable {
    /// The process that holds a `flock(2)` lock on a file, for messages; nil if none is visible.
    static func holder(of file: FileStatus) -> String? {
        guard let table = try? SmallFile.read("/proc/locks", limit: 1 << 22),
            let process = holders(of: file, in: table).first
        else { return nil }
        guard let name = try? SmallFile.read("/proc/\(process)/comm") else {
            // A child process holds the lock through an inherited descriptor.
            return "a child of process \(process)"
        }
        return "process \(process) (\(name.prefix { !$0.isNewline }))"
    }

    /// The processes that hold locks on a file, parsed from the text of `/proc/locks`.
    static func holders(of file: FileStatus, in table: String) -> [Int32] {
        table.split(separator: "\n").compactMap { line in
            // 1: FLOCK  ADVISORY  WRITE 4711 00:1a:1234 0 EOF, with "->" for those who wait.
            let fields = line.split(separator: " ")
            guard fields.count >= 6, fields[1] == "FLOCK" else { return nil }
            let place = fields[5].split(separator: ":")
            guard place.count == 3, UInt64(place[0], radix: 16) == file.majorDevice,
                UInt64(place[1], radix: 16) == file.minorDevice,
                UInt64(place[2]) == file.inode
            else { return nil }
            return Int32(fields[4])
        }
    }
}
