import Glibc
import LinkTesting
import Testing

@testable import LinuxKernel

@Suite("Times of threads")
struct ThreadTimesTests {
    @Test(.tags(.unit)) func `they are read as the kernel writes them`() {
        #expect(
            ThreadTimes(schedstat: "1500000 20 3\n")
                == ThreadTimes(used: .microseconds(1500), waited: .nanoseconds(20)))
        for text in ["", "1 2", "a b c", "1 2 3 4"] { #expect(ThreadTimes(schedstat: text) == nil) }
    }

    @Test func `those of other processes are found, and of one they are not`() throws {
        let own = getpid()
        #expect(ThreadTimes.all(exceptOf: 1)[own]?.used ?? .zero > .zero)
        #expect(ThreadTimes.all(exceptOf: own)[own] == nil)
    }
}
