import Glibc

/// Reading directories as C does.
enum DirectoryStream {
    /// The names that are left in a stream of opendir(3), `.` and `..` among them.
    static func names(_ stream: OpaquePointer) -> [String] {
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            names.append(
                unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                    unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) {
                        unsafe String(cString: $0)
                    }
                })
        }
        return names
    }
}
