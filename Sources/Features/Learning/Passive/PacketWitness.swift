import Explanation
import LinuxKernel
import SystemPackage

/// Sees the headers of what an Ethernet interface sends and receives.
struct PacketWitness: ~Copyable {
    private var receiver: PacketReceiver
    private var batch = ReceiveBatch()
    private let memory: FrameMemory

    private static let headRoom = 512
    private static let longest = 68 << 10
    /// The kernel's header in front of a frame.
    private static let front = 10

    /// Requires `CAP_NET_RAW`.
    init(interface: Int32) throws {
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
                let time = frame.arrival ?? KernelClock.monotonic
                let missing = frame.count - Self.front - head.count
                let packet = memory.withBytes(in: head) { bytes in
                    // Who opens a connection is the app.
                    FoundPacket(ethernet: bytes, nil, at: time, missing: missing).packet
                }
                if let packet { body(packet) }
            }
        }
    }
}
