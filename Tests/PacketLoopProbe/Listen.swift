import Foundation
import LinuxKernel

/// Counts the packets that `send` sent, and how long each was under way.
enum Listen {
    private struct Result: Encodable {
        var packets: Int
        var reordered: Int
        var packetsPerSecond: Double
        /// From the call that sends to the arrival at the interface.
        var delayMicroseconds: [String: Double]
    }

    static func run(_ arguments: [String]) throws {
        guard arguments.count == 2, let seconds = Double(arguments[1]) else { throw Usage() }
        var receiver = try PacketReceiver(interface: try index(of: arguments[0]))
        let alarm = try Alarm(for: receiver)
        let room = 2048
        let memory = try FrameMemory(reserving: ReceiveBatch.capacity * room)
        var batch = ReceiveBatch()
        for slot in 0..<ReceiveBatch.capacity {
            batch.place(
                slot, in: memory, head: slot * room..<slot * room + 1024,
                rest: slot * room + 1024..<(slot + 1) * room)
        }
        say("ready")
        var delays: [Int64] = []
        var (reordered, last) = (0, UInt64(0))
        var span: (first: Duration, last: Duration)?
        let end = KernelClock.monotonic + .seconds(seconds)
        while KernelClock.monotonic < end {
            let count = (try? receiver.receive(into: &batch)) ?? 0
            if count == 0 { alarm.wait(until: end) }
            for slot in 0..<count {
                let frame = batch[slot]
                guard frame.count >= Send.header.count + 16, let arrival = frame.arrival,
                    let (time, number) = memory.withBytes(
                        in: slot * room..<slot * room + Send.header.count + 16, read)
                else { continue }
                delays.append(Int64(arrival / .nanoseconds(1)) - Int64(time))
                if number < last { reordered += 1 }
                last = max(last, number)
                span = (span?.first ?? arrival, arrival)
            }
        }
        let time = span.map { ($0.last - $0.first) / .seconds(1) } ?? 0
        try say(
            Result(
                packets: delays.count, reordered: reordered,
                packetsPerSecond: time > 0 ? Double(delays.count) / time : 0,
                delayMicroseconds: quantiles(delays)))
    }

    private static func read(_ bytes: Span<UInt8>) -> (time: UInt64, number: UInt64)? {
        let port = Send.header.count - 6
        guard bytes[22] == 8, bytes[23 + 10] == 17, bytes[port] == 0, bytes[port + 1] == 9 else {
            return nil
        }
        func number(_ start: Int) -> UInt64 {
            (start..<start + 8).reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
        }
        return (number(Send.header.count), number(Send.header.count + 8))
    }
}
