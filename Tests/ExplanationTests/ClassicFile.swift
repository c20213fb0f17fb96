/// The packets of a pcapng file of linkcond as tcpdump writes them to a pcap file.
enum ClassicFile {
    /// Nil if a block is not whole.
    static func converted(_ file: [UInt8]) -> [UInt8]? {
        func long(_ offset: Int) -> Int {
            (0..<4).reduce(0) { $0 | Int(file[offset + $1]) << (8 * $1) }
        }
        func bytes(_ number: Int) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        var result = [0xa1b2_c3d4, 4 << 16 | 2, 0, 0, 262_144, 1].flatMap(bytes)
        var offset = 0
        while offset + 12 <= file.count {
            let length = long(offset + 4)
            guard length >= 12, offset + length <= file.count else { return nil }
            if long(offset) == 6 {
                let time = long(offset + 12) << 32 | long(offset + 16)
                let captured = long(offset + 20)
                result += bytes(time / 1_000_000_000) + bytes(time % 1_000_000_000 / 1000)
                result += bytes(captured) + bytes(long(offset + 24))
                result += file[offset + 28..<offset + 28 + captured]
            }
            offset += length
        }
        return result
    }
}
