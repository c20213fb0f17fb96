import Foundation
import LinuxKernel

/// Sends packets at a rate, each with its number and the time.
enum Send {
    /// What `listen` knows the packets by: the EtherType of IP, and UDP port 9 (discard).
    static let header: [UInt8] =
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        + [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0]
        + [0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 17, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2]
        + [0x10, 0, 0, 9, 0, 0, 0, 0]

    static func run(_ arguments: [String]) throws {
        guard arguments.count == 4, let rate = Double(arguments[1]),
            let seconds = Double(arguments[2]), let size = Int(arguments[3]), size >= 64
        else { throw Usage() }
        let sender = try PacketSender(interface: try index(of: arguments[0]), bypassesQdisc: true)
        let stride = size + 10
        var memory = try FrameMemory(reserving: SendBatch.capacity * stride)
        for slot in 0..<SendBatch.capacity { fill(&memory, slot * stride, size) }
        KernelThread.makeCallingThreadPunctual(isPreferred: false)
        let start = KernelClock.monotonic
        let end = start + .seconds(seconds)
        var number: UInt64 = 0
        var batch = SendBatch()
        while KernelClock.monotonic < end {
            // Ten at a time at high rates: nothing sleeps for 10 us.
            let burst = rate == 0 ? SendBatch.capacity : max(1, Int(rate / 10_000))
            for slot in 0..<burst {
                stamp(&memory, slot * stride, number)
                number += 1
                batch.append(from: memory, head: slot * stride..<(slot + 1) * stride, rest: 0..<0)
                // One by one, or the time of the first would be that of all.
                if rate > 0 { flush(sender, &batch) }
            }
            flush(sender, &batch)
            if rate > 0 { sleep(until: start + .seconds(Double(number) / rate)) }
        }
        say("\(number)")
    }

    private static func flush(_ sender: borrowing PacketSender, _ batch: inout SendBatch) {
        while !batch.isEmpty {
            if (try? sender.send(&batch)) == nil { batch.removeFirst(1) }
        }
    }

    private static func fill(_ memory: inout FrameMemory, _ start: Int, _ size: Int) {
        memory.withMutableBytes(in: start..<start + size + 10) { bytes in
            for (index, byte) in header.enumerated() { bytes[index] = byte }
            let length = size - 14
            (bytes[26], bytes[27]) = (UInt8(length >> 8), UInt8(length & 0xff))
            // A bridge may look at it.
            let sum = stride(from: 24, to: 44, by: 2).reduce(UInt32(0)) {
                $0 + UInt32(bytes[$1]) << 8 + UInt32(bytes[$1 + 1])
            }
            let checksum = ~UInt16(truncatingIfNeeded: sum + sum >> 16)
            (bytes[34], bytes[35]) = (UInt8(checksum >> 8), UInt8(checksum & 0xff))
            (bytes[48], bytes[49]) = (UInt8((length - 20) >> 8), UInt8((length - 20) & 0xff))
        }
    }

    private static func stamp(_ memory: inout FrameMemory, _ start: Int, _ number: UInt64) {
        let time = UInt64(KernelClock.monotonic / .nanoseconds(1))
        memory.withMutableBytes(in: start + header.count..<start + header.count + 16) { bytes in
            for index in 0..<8 {
                bytes[index] = UInt8(truncatingIfNeeded: time >> UInt64(56 - 8 * index))
                bytes[8 + index] = UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * index))
            }
        }
    }

    private static func sleep(until moment: Duration) {
        let (seconds, attoseconds) = moment.components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        _ = unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil)
    }
}
