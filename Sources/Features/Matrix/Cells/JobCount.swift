import FoundationEssentials
import LinuxKernel

/// How many cells run at once.
///
/// Unless the user names a number, it begins with one for each processor. Commands that mostly wait
/// for the network leave the processors idle, and more fit beside each other; those that disturb
/// each other are halved, and their number does not grow back.
struct JobCount: Sendable {
    /// How many there are now.
    private(set) var current: Int
    private let isFixed: Bool
    private var most: Int

    /// A machine that waits could run still more, but each takes memory.
    static let mostPerProcessor = 4
    /// With less idle time, another cell might take what those that run need.
    private static let leastIdleShare = 0.5

    /// As many as there are processors, or as a quota leaves of them.
    static var standard: Int {
        ProcessorQuota.usable(of: ProcessInfo.processInfo.activeProcessorCount)
    }

    /// Begins with a number.
    ///
    /// - Parameter isFixed: Whether the user chose it.
    init(_ count: Int, isFixed: Bool) {
        current = count
        self.isFixed = isFixed
        most = isFixed ? count : count * Self.mostPerProcessor
    }

    /// Takes note that a cell has ended.
    ///
    /// - Parameters:
    ///   - wasFaithful: Whether the machine kept up with its emulation and its command.
    ///   - idleShare: Which part of the processors' time was left since the last time; nil: unknown.
    mutating func adapt(wasFaithful: Bool, idleShare: Double?) {
        guard !isFixed else { return }
        if !wasFaithful {
            current = max(1, current / 2)
            most = current
        } else if let idleShare, idleShare >= Self.leastIdleShare {
            current = min(current + 1, most)
        }
    }
}
