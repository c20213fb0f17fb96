import Glibc

/// Reads directories through the C library.
enum DirectoryStream {
    /// The remaining names in a stream of opendir(3), including `.` and `..`.
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
