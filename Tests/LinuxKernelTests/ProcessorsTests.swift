import LinkTesting
import Testing

@testable import LinuxKernel

@Suite("Processors", .tags(.unit))
struct ProcessorsTests {
    private static let status = """
        cpu  50 0 50 1000 40 0 0 0 0 0
        cpu0 10 0 10 300 10 0 0 0 0 0
        cpu1 10 0 10 200 20 0 0 0 0 0
        cpu12 30 0 30 500 10 0 0 0 0 0
        intr 12345 0 1
        """

    @Test(arguments: [
        ("0", 1), ("0-3", 4), ("0-1,12", 3), ("7,3,3-4", 3), ("", nil), ("-1", nil), ("3-1", nil),
        ("0-", nil), ("0-1-2", nil), ("x", nil), ("0-99999999999", nil), ("0,", nil),
    ])
    func `a list is read as the kernel writes it`(list: String, count: Int?) {
        #expect(Processors(list: list)?.count == count)
    }

    @Test(arguments: [
        ("0", 3100 as Int64), ("0-1", 5300), ("0,12", 8200), ("2", nil), ("0-2", nil),
    ])
    func `only those count on which the thread may run`(list: String, milliseconds: Int64?) throws {
        let processors = try #require(Processors(list: list))
        let idle = processors.idleTime(in: Self.status, ticksPerSecond: 100)
        #expect(idle == milliseconds.map { .milliseconds($0) })
        #expect(processors.idleTime(in: Self.status, ticksPerSecond: 0) == nil)
        #expect(processors.idleTime(in: "cpu0 1 2", ticksPerSecond: 100) == nil)
    }

    @Test func `this machine has some, and their idle time never goes back`() throws {
        let processors = try #require(Processors())
        #expect(processors.count > 0)
        let before = try #require(processors.idleTime)
        let thread = KernelClock.threadTime
        var sum: UInt64 = 0
        while KernelClock.threadTime - thread < .milliseconds(20) { sum &+= 1 }
        #expect(KernelClock.processTime >= KernelClock.threadTime)
        #expect(try #require(processors.idleTime) >= before)
    }
}
