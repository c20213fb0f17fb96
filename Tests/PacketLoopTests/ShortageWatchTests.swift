import LinkTesting
import LinkUnits
import Testing

@testable import PacketLoop

/// When a link stays below its bandwidth for want of processor time, and when it does not.
@Suite("Shortage of processor time", .tags(.unit))
struct ShortageWatchTests {
    /// What a link and its machine do, as shares of the time.
    struct Load: Sendable {
        var use = 0.5
        var thread = 0.5
        var process = 0.8
        /// Of all processors.
        var idle: Double? = 0.0
        var processors = 2
    }

    private static let step = Duration.milliseconds(250)

    /// What comes of three readings under a load.
    private static func findings(_ load: Load) -> [ShortageWatch.Finding?] {
        var watch = ShortageWatch()
        return (0..<3).map { number in
            let time = step * number
            return watch.take(
                ShortageWatch.Reading(
                    time: time, used: time * load.use, thread: time * load.thread,
                    process: time * load.process)
            ) {
                load.idle.map {
                    ShortageWatch.Machine(
                        processors: load.processors, idle: time * $0 * load.processors)
                }
            }
        }
    }

    @Test(arguments: [
        // Nothing is left of the machine, of which the emulation has a good part.
        Load(), Load(use: 0.05), Load(use: 0.9, thread: 0.3, idle: 0.04),
        Load(thread: 0.5, process: 4, processors: 16),
    ])
    func `a link that the machine cannot fill is found`(load: Load) {
        // The first two readings tell what to compare with.
        let finding = ShortageWatch.Finding(duration: Self.step, use: load.use)
        #expect(Self.findings(load).last == finding)
    }

    @Test(arguments: [
        Load(thread: 0.97, process: 1, idle: 0.9, processors: 64), Load(thread: 1, idle: nil),
    ])
    func `one whose thread never rests is found whatever else there is`(load: Load) {
        let finding = ShortageWatch.Finding(duration: Self.step, use: load.use)
        #expect(Self.findings(load) == [nil, finding, finding])
    }

    @Test(arguments: [
        // The link is full, or hardly used.
        Load(use: 0.96), Load(use: 0.96, thread: 1), Load(use: 0.005), Load(use: 0),
        // The app could have had more of the machine.
        Load(idle: 0.1), Load(idle: 1),
        // Others keep it busy.
        Load(thread: 0.1, process: 0.15), Load(thread: 0.3, process: 0.3),
        Load(thread: 0.2, process: 1.5),
        // Nobody knows.
        Load(idle: nil), Load(processors: 0),
    ])
    func `an app that sends less than it could is not`(load: Load) {
        #expect(Self.findings(load) == [nil, nil, nil])
    }

    @Test func `what was found adds up to what passed and what could have`() {
        var shortage = ProcessorShortage()
        #expect(shortage.carriedRate == nil && shortage.bandwidth == nil)
        shortage.add(.init(duration: Self.step, use: 0.4), bandwidth: .megabitsPerSecond(5000))
        shortage.add(.init(duration: Self.step, use: 0.6), bandwidth: .megabitsPerSecond(5000))
        #expect(shortage.duration == .milliseconds(500))
        #expect(shortage.carriedRate == .megabitsPerSecond(2500))
        #expect(shortage.bandwidth == .megabitsPerSecond(5000))
    }

    @Test func `it looks four times a second`() {
        var watch = ShortageWatch()
        #expect(watch.isDue(at: .zero))
        _ = watch.take(.init(time: .zero, used: .zero, thread: .zero, process: .zero)) { nil }
        #expect(!watch.isDue(at: .milliseconds(249)))
        #expect(watch.isDue(at: .milliseconds(250)))
    }
}
