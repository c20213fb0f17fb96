import Glibc
import LinkTesting
import Testing

@testable import Sandbox

@Suite("Deadline of a command", .tags(.unit))
struct DeadlineTests {
    @Test func `without a limit nothing is ever due`() {
        var deadline = Deadline(nil)
        #expect(deadline.remaining == nil)
        #expect(deadline.signalDue() == nil)
        #expect(!deadline.hasPassed)
    }

    @Test func `a command is asked to end first, and only once`() {
        var deadline = Deadline(.zero)
        #expect(deadline.signalDue() == SIGTERM)
        #expect(deadline.hasPassed)
        #expect(deadline.signalDue() == nil)
        #expect(deadline.remaining != nil)
    }

    @Test func `once the command has ended nothing is due any more`() {
        var deadline = Deadline(.zero)
        deadline.settle()
        #expect(deadline.signalDue() == nil)
        #expect(!deadline.hasPassed)
    }
}
