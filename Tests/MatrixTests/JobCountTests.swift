import LinkTesting
import Testing

@testable import Matrix

@Suite("Number of jobs", .tags(.unit))
struct JobCountTests {
    @Test func `it grows while processors are idle, to some per processor`() {
        var jobs = JobCount(2, isFixed: false)
        jobs.adapt(wasFaithful: true, idleShare: nil)
        jobs.adapt(wasFaithful: true, idleShare: 0.4)
        #expect(jobs.current == 2)
        for _ in 0..<100 { jobs.adapt(wasFaithful: true, idleShare: 0.9) }
        #expect(jobs.current == 2 * JobCount.mostPerProcessor)
    }

    @Test func `cells that disturb each other are fewer afterwards, down to one, and stay so`() {
        var jobs = JobCount(4, isFixed: false)
        for count in [2, 1, 1] {
            jobs.adapt(wasFaithful: false, idleShare: 0.9)
            #expect(jobs.current == count)
        }
        jobs.adapt(wasFaithful: true, idleShare: 1)
        #expect(jobs.current == 1)
    }

    @Test func `who names a number gets it`() {
        var jobs = JobCount(4, isFixed: true)
        jobs.adapt(wasFaithful: false, idleShare: 0)
        #expect(jobs.current == 4)
        jobs.adapt(wasFaithful: true, idleShare: 1)
        #expect(jobs.current == 4)
    }
}
