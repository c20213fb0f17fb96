import LinkModel
import LinkUnits
import PacketEngine
import PacketLoop

/// Packets with every fate, made by hand.
enum SamplePackets {
    static let ethernet = "020000000002 020000000001"
    static let tcp = bytes(
        ethernet + "0800 4500002c 00070000 40060000 c0000201 c0000202"
            + "1388 0050 000003e8 00000009 6018 0200 0000 0000 01020304")
    static let udp = bytes(
        ethernet + "86dd 60000000 000c 11 40 20010db8000000000000000000000001"
            + "20010db8000000000000000000000002 0fa0 0035 000c 0000 0a0b0c0d")
    static let ping = bytes(
        ethernet + "0800 4500001c 00070000 40010000 c0000201 c0000202 0800 0000 0001 0002")
    static let arp = bytes(ethernet + "0806 0001 0800 0604 0001 000000000000 c0000201")
    static let taggedSCTP = bytes(
        ethernet + "8100 0005 0800 45000020 00070000 40840000 c0000201 c0000202"
            + "0001 0002 00000000 00000000")
    static let loopDetection = bytes(ethernet + "88cc 0207")

    /// A byte for each two digits.
    static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap { UInt8(String($0), radix: 16) }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    static func record(
        _ direction: LinkDirection = .up, number: UInt64? = 1, isCopy: Bool = false,
        at arrival: Duration = .zero, for time: Duration = .zero, late lateness: Duration = .zero,
        bytes: UInt64 = 100, _ verdict: Verdict?
    ) -> PacketRecord {
        PacketRecord(
            direction: direction, number: number, isCopy: isCopy, arrival: arrival,
            departure: arrival + time, lateness: lateness, length: ByteCount(bytes: bytes),
            fate: verdict.map { .judged($0) } ?? .exempt)
    }

    /// One for each fate, with a frame of each kind.
    static let all: [(PacketRecord, [UInt8])] = [
        (record(.down, number: nil, at: .milliseconds(3), bytes: 28, nil), arp),
        (record(.up, number: nil, at: .milliseconds(4), bytes: 2, nil), loopDetection),
        (
            record(
                at: .milliseconds(5), for: .nanoseconds(65_012_345), bytes: 44, .delivered),
            tcp
        ),
        (
            record(
                number: 3, isCopy: true, at: .seconds(70), for: .milliseconds(1), bytes: 52,
                .delivered),
            udp
        ),
        (
            record(
                number: 2, at: .seconds(70), for: .milliseconds(2), late: .microseconds(1234),
                bytes: 28, .corrupted(bit: 17)),
            ping
        ),
        (record(.down, at: .seconds(71), bytes: 32, .queueFull), taggedSCTP),
        (record(.down, number: 2, at: .seconds(72), bytes: 44, .managed), tcp),
        (record(.down, number: 3, at: .seconds(73), for: .seconds(1), bytes: 44, .lost), tcp),
        (record(.down, number: 4, at: .seconds(74), bytes: 44, .delivered), []),
    ]
}
