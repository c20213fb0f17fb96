/// The options of a TCP header, as far as the relay asks (RFC 9293, section 3.1).
enum TCPOptions {
    /// What a connection request wants of Multipath TCP (RFC 8684, section 3).
    enum Multipath: UInt8 {
        /// A new connection that may have several paths (`MP_CAPABLE`).
        case connection = 0
        /// One more path of an existing connection (`MP_JOIN`).
        case path = 1
    }

    private static let endOfOptions: UInt8 = 0
    private static let noOperation: UInt8 = 1
    private static let multipath: UInt8 = 30

    /// Finds it in a TCP header; whatever makes no sense ends the options.
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
