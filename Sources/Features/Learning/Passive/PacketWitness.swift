import Explanation
import LinkModel
import LinuxKernel
import SystemPackage

/// Sees the headers of what an Ethernet interface sends and receives.
struct PacketWitness: ~Copyable {
    private var receiver: PacketReceiver
    private var batch = ReceiveBatch()
    private let memory: FrameMemory
    /// The interface's own address, which tells what it sends.
    private let address: [UInt8]

    private static let headRoom = 512
    private static let longest = 68 << 10
    /// The kernel's header in front of a frame.
    private static let front = 10

    /// Requires `CAP_NET_RAW`.
    init(interface: Int32, name: String) throws {
        let text = (try? SmallFile.read("/sys/class/net/\(name)/address")) ?? ""
        address = text.split(whereSeparator: { ":\n ".contains($0) }).compactMap {
            UInt8($0, radix: 16)
        }
        let memory = try FrameMemory(
            reserving: ReceiveBatch.capacity * Self.headRoom + Self.longest)
        let receiver = try PacketReceiver(witnessing: interface)
        let waste = ReceiveBatch.capacity * Self.headRoom
        for index in 0..<ReceiveBatch.capacity {
            batch.place(
                index, in: memory, head: index * Self.headRoom..<(index + 1) * Self.headRoom,
                rest: waste..<waste + Self.longest)
        }
        self.memory = memory
        self.receiver = receiver
    }

    /// Frames that were dropped because they came faster than they were read.
    var missed: Int { receiver.takeDrops() }

    /// Takes all that has passed since the last call.
    mutating func takeAll(_ body: (CapturedPacket) -> Void) throws(Errno) {
        while true {
            let count = try receiver.receive(into: &batch)
            guard count > 0 else { return }
            for index in 0..<count {
                let frame = batch[index]
                guard frame.count > Self.front + 14 else { continue }
                let start = index * Self.headRoom
                let head = start + Self.front..<start + min(frame.count, Self.headRoom)
                let time = frame.arrival ?? KernelClock.realtime
                let missing = frame.count - Self.front - head.count
                let packet = memory.withBytes(in: head) { bytes in
                    FoundPacket(
                        ethernet: bytes, isOwn(bytes) ? .up : .down, at: time, missing: missing
                    ).packet
                }
                if let packet { body(packet) }
            }
        }
    }

    /// Whether the interface itself sent a frame.
    private func isOwn(_ frame: Span<UInt8>) -> Bool {
        guard address.count == 6, frame.count >= 12 else { return false }
        for index in 0..<6 where frame[6 + index] != address[index] { return false }
        return true
    }
}
