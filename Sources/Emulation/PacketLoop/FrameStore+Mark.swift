import LinuxKernel

/// Congestion marks (ECN, RFC 3168, section 5).
extension FrameStore {
    /// Marks a frame whose sender supports it.
    mutating func mark(_ id: ID) {
        let network = VirtualHeader.count + self[id].network
        memory.withMutableBytes(in: self[id].range) { setCongestionMark(in: &$0, at: network) }
    }
}

/// Sets the two ECN bits of the IP header at `network` to "congestion experienced".
func setCongestionMark(in bytes: inout MutableSpan<UInt8>, at network: Int) {
    guard network + 20 <= bytes.count else { return }
    switch bytes[network] >> 4 {
    case 4:
        let old = bytes.word(at: network)
        bytes[network + 1] |= 0x3
        // The checksum is adjusted (RFC 1624, section 3): ~(~HC + ~m + m').
        var sum = InternetChecksum()
        sum.add(~bytes.word(at: network + 10))
        sum.add(~old)
        sum.add(bytes.word(at: network))
        bytes.setWord(sum.complement, at: network + 10)
    case 6:
        bytes[network + 1] |= 0x30
    default: break
    }
}
