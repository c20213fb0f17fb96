import LinkTesting
import LinuxKernel
import Recording
import Testing

@Suite("Processor time of a command", .tags(.unit))
struct ProcessorMeterTests {
    private static func times(_ used: Int, _ waited: Int) -> ThreadTimes {
        ThreadTimes(used: .milliseconds(used), waited: .milliseconds(waited))
    }

    private static func use(
        processors: Int = 2, _ looks: [[Int32: ThreadTimes]]
    ) -> ProcessorUse {
        var meter = ProcessorMeter(processors: processors)
        for (index, look) in looks.enumerated() {
            meter.look(look, at: .seconds(index + 1))
        }
        return meter.use
    }

    private static func expect(
        _ use: ProcessorUse, used: Double, lacked: Double,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(abs(use.usedSeconds - used) < 1e-9, sourceLocation: sourceLocation)
        #expect(abs(use.lackedSeconds - lacked) < 1e-9, sourceLocation: sourceLocation)
    }

    @Test func `the longest wait for somebody else is lacked`() {
        Self.expect(
            Self.use([
                [1: Self.times(100, 0)], [1: Self.times(300, 400), 2: Self.times(50, 10)],
            ]), used: 0.35, lacked: 0.4)
    }

    @Test func `threads that fill all processors by themselves lack nothing`() {
        let threads = (0..<8 as Range<Int32>).map { ($0, Self.times(250, 750)) }
        Self.expect(
            Self.use([Dictionary(uniqueKeysWithValues: threads)]), used: 2, lacked: 0)
        let slowed = (0..<8 as Range<Int32>).map { ($0, Self.times(125, 875)) }
        Self.expect(
            Self.use([Dictionary(uniqueKeysWithValues: slowed)]), used: 1, lacked: 0.875)
    }

    @Test func `another thread with the ID of an earlier one begins anew`() {
        Self.expect(
            Self.use([[1: Self.times(500, 100)], [1: Self.times(20, 30)]]), used: 0.52,
            lacked: 0.13)
    }

    @Test func `a kernel that counts nothing finds no lack`() {
        Self.expect(Self.use([[:], [:]]), used: 0, lacked: 0)
    }

    @Test func `only a lack that matters is said`() {
        var use = ProcessorUse()
        use.lackedSeconds = 3
        #expect(
            use.note(duration: .seconds(6)) == """
                this machine was too busy for the command: for 50% of its time it waited for a \
                processor
                """)
        #expect(use.note(duration: .seconds(600)) == nil)
        use.unreadPackets = 12
        #expect(
            use.note(duration: .seconds(60))?.hasSuffix(
                "5% of its time it waited for a processor, and 12 packets were lost since it did "
                    + "not read them in time") == true)
        use.lackedSeconds = 0.4
        #expect(use.note(duration: .milliseconds(500)) == nil, "of the moment")
    }
}
