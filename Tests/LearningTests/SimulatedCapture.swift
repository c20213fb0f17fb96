/// A pcap file as tcpdump writes it, of packets without link-layer headers.
struct SimulatedCapture {
    private(set) var bytes: [UInt8] = []

    /// - Parameter linkType: 101 is IP packets.
    init(linkType: UInt32 = 101) {
        for number: UInt32 in [0xa1b2_c3d4, 4 << 16 | 2, 0, 0, 262_144, linkType] { add(number) }
    }

    private mutating func add(_ number: UInt32) {
        for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    /// Adds a TCP packet, of which only the headers are captured.
    ///
    /// - Parameters:
    ///   - time: In seconds.
    ///   - flags: 2 is SYN, 16 ACK.
    ///   - claimed: How many bytes the capture says that it had.
    mutating func add(
        at time: Double, fromApp: Bool, flags: UInt8 = 16, sequence: UInt32,
        acknowledgement: UInt32, payload: Int, claimed: UInt32? = nil
    ) {
        let length = 40 + payload
        let ports: [UInt8] = fromApp ? [0xc0, 0, 0, 80] : [0, 80, 0xc0, 0]
        let addresses: [UInt8] =
            fromApp ? [10, 0, 0, 1, 10, 0, 0, 2] : [10, 0, 0, 2, 10, 0, 0, 1]
        let header: [UInt8] =
            [0x45, 0, UInt8(length >> 8), UInt8(length & 0xff), 0, 0, 0x40, 0, 64, 6, 0, 0]
            + addresses
        let numbers = [sequence, acknowledgement].flatMap { number in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        }
        let segment = ports + numbers + [0x50, flags, 0xff, 0xff, 0, 0, 0, 0]
        add(UInt32(time))
        add(UInt32((time - time.rounded(.down)) * 1e6))
        add(40)
        add(claimed ?? UInt32(length))
        bytes += header + segment
    }

    /// A download over a link of 1 Mbit/s with a round trip of 100 ms, captured at the app, of which
    /// each tenth packet is lost and sent again.
    static func download(packets: Int) -> SimulatedCapture {
        var capture = SimulatedCapture()
        var now = 1000.0
        capture.add(
            at: now, fromApp: true, flags: 2, sequence: 99, acknowledgement: 0, payload: 0)
        now += 0.1
        capture.add(
            at: now, fromApp: false, flags: 18, sequence: 499, acknowledgement: 100, payload: 0)
        capture.add(at: now, fromApp: true, sequence: 100, acknowledgement: 500, payload: 0)
        var late: [(Double, UInt32)] = []
        for number in 0..<packets {
            now += 1500 * 8 / 1e6
            let sequence = 500 + UInt32(number) * 1460
            if number % 10 == 5 {
                late.append((now + 0.15, sequence))
            } else {
                capture.add(
                    at: now, fromApp: false, sequence: sequence, acknowledgement: 100,
                    payload: 1460)
            }
            while let (time, sequence) = late.first, time < now {
                late.removeFirst()
                now += 1500 * 8 / 1e6
                capture.add(
                    at: now, fromApp: false, sequence: sequence, acknowledgement: 100,
                    payload: 1460)
            }
        }
        return capture
    }
}
