/// The options of a TCP header, as far as the relay asks (RFC 9293, section 3.1).
struct TCPOptions {
    /// Whether the packet asks for one more path of an existing connection: `MP_JOIN` of Multipath
    /// TCP (RFC 8684, section 3.2).
    let joinsConnection: Bool

    private static let endOfOptions: UInt8 = 0
    private static let noOperation: UInt8 = 1
    private static let multipath: UInt8 = 30
    private static let join: UInt8 = 1

    /// Reads a TCP header; whatever makes no sense ends the options.
    init(_ header: ArraySlice<UInt8>) {
        joinsConnection = Self.findsJoin(in: header)
    }

    private static func findsJoin(in header: ArraySlice<UInt8>) -> Bool {
        let dataOffset = header.dropFirst(12).first.map { Int($0 >> 4) * 4 } ?? 0
        var rest = header.prefix(dataOffset).dropFirst(20)
        while let kind = rest.first, kind != endOfOptions {
            guard kind != noOperation else {
                rest = rest.dropFirst()
                continue
            }
            guard let length = rest.dropFirst().first, length >= 2, length <= rest.count else {
                return false
            }
            if kind == multipath, let subtype = rest.prefix(Int(length)).dropFirst(2).first {
                return subtype >> 4 == join
            }
            rest = rest.dropFirst(Int(length))
        }
        return false
    }
}
