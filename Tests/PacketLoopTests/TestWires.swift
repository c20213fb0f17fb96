import Glibc
import LinkModel
import LinkTesting
import LinkUnits
import LinuxKernel
import Synchronization
import SystemPackage
import Testing

@testable import PacketLoop

/// Two wires in a namespace of the test's own: a loop joins their inner ends `app` and `far`, and
/// the test sends to the outer ends and sees what comes out there.
struct TestWires {
    static func with(_ body: @Sendable (TestWires) throws -> Void) async throws {
        try await withNewNamespace {
            // No interface is to speak by itself.
            try shell(
                """
                sysctl -qw net.ipv6.conf.default.disable_ipv6=1
                for name in app far; do
                    ip link add $name mtu 9000 arp off type veth peer name $name-end mtu 9000 arp off
                    ip link set $name up; ip link set $name-end up
                done
                """)
            try body(TestWires())
        }
    }

    func loop(
        _ conditions: LinkConditions, seed: UInt64 = 1,
        memory: ByteCount = PacketLoop.standardMemory, observer: (any PacketObserver)? = nil
    ) throws -> PacketLoop {
        let loop = try PacketLoop(
            appSide: try interfaceIndex("app"), farSide: try interfaceIndex("far"),
            conditions: conditions, seed: seed, memory: memory, observer: observer)
        try loop.start()
        return loop
    }

    /// The end of a wire, `app` or `far`.
    func end(_ name: String) throws -> WireEnd {
        try WireEnd(interface: try interfaceIndex(name + "-end"))
    }
}

/// The index of an interface in the calling thread's namespace.
func interfaceIndex(_ name: String) throws -> Int32 {
    let index = unsafe if_nametoindex(name)
    try #require(index > 0)
    return Int32(index)
}

/// The end of a wire, where frames are put in and taken out.
final class WireEnd: Sendable {
    private let receiver: Mutex<PacketReceiver>
    private let sender: PacketSender

    init(interface: Int32) throws {
        receiver = Mutex(try PacketReceiver(interface: interface))
        sender = try PacketSender(interface: interface, bypassesQdisc: false)
    }

    /// Sends frames, without offloads unless `virtual` says so.
    func send(_ frames: [[UInt8]], virtual: VirtualHeader = VirtualHeader()) throws {
        for frame in frames {
            var memory = try FrameMemory(reserving: 80_000)
            memory.withMutableBytes(in: 0..<VirtualHeader.count) { virtual.write(to: &$0) }
            memory.withMutableBytes(in: 10..<10 + frame.count) { bytes in
                for (index, byte) in frame.enumerated() { bytes[index] = byte }
            }
            var batch = SendBatch()
            batch.append(from: memory, head: 0..<10 + frame.count, rest: 0..<0)
            #expect(try sender.send(&batch) == 1)
        }
    }

    /// The frames that come within `time`; no longer than until there are `count` of them, or of
    /// whatever `measure` finds in each.
    func receive(
        _ count: Int = .max, within time: Duration = .seconds(10),
        measure: (ReceivedBytes) -> Int = { _ in 1 }
    ) throws -> [ReceivedBytes] {
        let deadline = KernelClock.monotonic + time
        let room = 80_000
        let memory = try FrameMemory(reserving: ReceiveBatch.capacity * room)
        var batch = ReceiveBatch()
        for index in 0..<ReceiveBatch.capacity {
            batch.place(
                index, in: memory, head: index * room..<index * room + 1000,
                rest: index * room + 1000..<(index + 1) * room)
        }
        var received: [ReceivedBytes] = []
        var total = 0
        while total < count, KernelClock.monotonic < deadline {
            let number = try receiver.withLock { try $0.receive(into: &batch) }
            for index in 0..<number {
                let frame = batch[index]
                memory.withBytes(in: index * room..<index * room + frame.count) { bytes in
                    received.append(
                        ReceivedBytes(
                            virtual: VirtualHeader(bytes),
                            bytes: Array([UInt8](bytes).dropFirst(VirtualHeader.count)),
                            tag: frame.tag, arrival: frame.arrival ?? .zero))
                }
                total += measure(received[received.count - 1])
            }
            if number == 0 { usleep(500) }
        }
        return received
    }
}

struct ReceivedBytes {
    var virtual: VirtualHeader
    var bytes: [UInt8]
    var tag: ReceivedFrame.Tag?
    var arrival: Duration
}

/// Writes down what it is told.
final class Records: PacketObserver {
    struct Entry {
        var record: PacketRecord
        var bytes: [UInt8]
    }

    private let entries = Mutex<[Entry]>([])

    func observed(_ record: PacketRecord, frame: Span<UInt8>) {
        entries.withLock { $0.append(Entry(record: record, bytes: [UInt8](frame))) }
    }

    var all: [Entry] { entries.withLock { $0 } }
}
