import Foundation
import LinuxKernel

/// Only sleeps and wakes up, as the packet loop does for each packet: what that takes by itself.
enum Sleep {
    private struct Result: Encodable {
        var lateMicroseconds: [String: Double]
        /// For each time that it woke up.
        var processorMicroseconds: Double
    }

    static func run(_ arguments: [String]) throws {
        guard arguments.count == 2, let rate = Double(arguments[0]), rate > 0,
            let seconds = Double(arguments[1]), seconds > 0
        else { throw Usage() }
        let request = KernelThread.makeCallingThreadPunctual() ? QuickWakeUps() : nil
        request?.set(isEffective: true)
        let beginning = KernelClock.monotonic
        let spentBefore = KernelClock.threadTime
        var delays: [Int64] = []
        while delays.count < max(1, Int(rate * seconds)) {
            let due = beginning + .seconds(Double(delays.count) / rate)
            KernelClock.sleep(until: due)
            delays.append(Int64((KernelClock.monotonic - due) / .nanoseconds(1)))
        }
        let spent = KernelClock.threadTime - spentBefore
        try say(
            Result(
                lateMicroseconds: quantiles(delays),
                processorMicroseconds: spent / .microseconds(delays.count)))
    }
}
