import Glibc

/// Standard input as the file `-`.
enum StandardInput {
    /// How it is named on the command line.
    static let name = "-"
    /// How errors name it.
    static let title = "standard input"

    /// Its bytes up to a byte more than a scenario may have. They can be read only once, and a
    /// name may be looked up several times.
    static let bytes: [UInt8] = {
        var bytes: [UInt8] = []
        while bytes.count <= 1 << 20 {
            let byte = getchar()
            guard byte != EOF else { break }
            bytes.append(UInt8(truncatingIfNeeded: byte))
        }
        return bytes
    }()
}
