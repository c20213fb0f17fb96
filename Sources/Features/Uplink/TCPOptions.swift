/// The TCP header options that the relay reads (RFC 9293, section 3.1).
enum TCPOptions {
    /// The Multipath TCP option of a connection request (RFC 8684, section 3).
    enum Multipath: UInt8 {
        /// A new Multipath TCP connection (`MP_CAPABLE`).
        case connection = 0
        /// An additional subflow of an existing connection (`MP_JOIN`).
        case path = 1
    }

    private static let endOfOptions: UInt8 = 0
    private static let noOperation: UInt8 = 1
    private static let multipath: UInt8 = 30

    /// Finds it in a TCP header; parsing stops at the first invalid option.
    static func multipath(in header: ArraySlice<UInt8>) -> Multipath? {
        let dataOffset = header.dropFirst(12).first.map { Int($0 >> 4) * 4 } ?? 0
        var rest = header.prefix(dataOffset).dropFirst(20)
        while let kind = rest.first, kind != endOfOptions {
            guard kind != noOperation else {
                rest = rest.dropFirst()
                continue
            }
            guard let length = rest.dropFirst().first, length >= 2, length <= rest.count else {
                return nil
            }
            if kind == multipath, let subtype = rest.prefix(Int(length)).dropFirst(2).first {
                return Multipath(rawValue: subtype >> 4)
            }
            rest = rest.dropFirst(Int(length))
        }
        return nil
    }
}
