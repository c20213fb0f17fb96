import Glibc

/// Reads directories through the C library.
enum DirectoryStream {
    /// The remaining names in a stream of opendir(3), without `.` and `..`.
    static func names(_ stream: OpaquePointer) -> [String] {
        unsafe rawNames(stream).map(text)
    }

    /// A name for people: what is not UTF-8 is replaced.
    static func text(of rawName: [CChar]) -> String {
        String(decoding: rawName.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The same as the file system has them, which need not be UTF-8, with the zero at their end.
    static func rawNames(_ stream: OpaquePointer) -> [[CChar]] {
        var names: [[CChar]] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe Array(UnsafeBufferPointer(start: $0, count: strlen($0) + 1))
                }
            }
            let dot = CChar(bitPattern: UInt8(ascii: "."))
            if name != [dot, 0], name != [dot, dot, 0] { names.append(name) }
        }
        return names
    }
}
