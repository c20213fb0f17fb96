import LinkTesting
import Testing

@testable import Matrix

@Suite("Schedule of cells", .tags(.unit))
struct CellScheduleTests {
    private static func schedule(
        _ cells: [Cell], retries: Int = 0, isFailFast: Bool = false,
        unfaithfulRetry: UnfaithfulRetry = .failed, jobs: Int = 2, isFixed: Bool = true
    ) -> CellSchedule {
        CellSchedule(
            cells, retries: retries, isFailFast: isFailFast, unfaithfulRetry: unfaithfulRetry,
            jobs: JobCount(jobs, isFixed: isFixed))
    }

    @Test func `as many run as there are jobs, in their order`() {
        var schedule = Self.schedule(SampleMatrix.specification(["A", "B", "C"]).cells)
        #expect(schedule.next()?.index == 0)
        #expect(schedule.next()?.index == 1)
        #expect(schedule.next() == nil)
        #expect(schedule.finish(1, passed: true, wasFaithful: true) == .done)
        #expect(schedule.next()?.index == 2)
        #expect(!schedule.isDone)
        #expect(schedule.doneCount == 1)
    }

    @Test func `one that fails is repeated at once, as often as it may`() {
        var schedule = Self.schedule(
            SampleMatrix.specification(["A"]).cells, retries: 2, jobs: 1)
        #expect(schedule.next()?.index == 0)
        #expect(schedule.finish(0, passed: true, wasFaithful: true) == .done)
        for attempt in 1...3 {
            let next = schedule.next()
            #expect(next?.index == 1)
            #expect(next?.attempt == attempt)
            let decision = schedule.finish(1, passed: false, wasFaithful: true)
            #expect(decision == (attempt < 3 ? .retry : .done))
        }
        #expect(schedule.isDone)
    }

    @Test func `the first failure ends all if it is to`() {
        var schedule = Self.schedule(
            SampleMatrix.specification(["A", "B"]).cells, isFailFast: true)
        _ = schedule.next()
        _ = schedule.next()
        #expect(schedule.finish(0, passed: false, wasFaithful: true) == .endAll)
        #expect(schedule.next() == nil)
        #expect(!schedule.isDone, "one is still running")
        #expect(schedule.finish(1, passed: false, wasFaithful: true) == .endAll)
        #expect(schedule.isDone)
    }

    @Test func `with attempts left a failure is none yet`() {
        var schedule = Self.schedule(
            SampleMatrix.specification(["A"]).cells, retries: 1, isFailFast: true)
        _ = schedule.next()
        #expect(schedule.finish(0, passed: false, wasFaithful: true) == .retry)
        #expect(schedule.next()?.attempt == 2)
    }

    @Test func `what is compared with the baseline waits for it, and nothing else does`() throws {
        var specification = SampleMatrix.specification(["A", "B"])
        specification.expectations["A"] = Expectations(
            duration: try DurationExpectation(parsing: "at most 3 x baseline"))
        var schedule = Self.schedule(specification.cells, retries: 1, jobs: 3)
        #expect(schedule.next()?.index == 0)
        #expect(schedule.next()?.index == 2, "B, since A waits")
        #expect(schedule.next() == nil)
        #expect(schedule.finish(0, passed: false, wasFaithful: true) == .retry)
        #expect(schedule.next()?.index == 0)
        #expect(schedule.next() == nil)
        #expect(schedule.finish(0, passed: false, wasFaithful: true) == .done)
        #expect(schedule.next()?.index == 1)
    }

    @Test func `one that failed on a busy machine is repeated by itself after all others`() {
        var schedule = Self.schedule(SampleMatrix.specification(["A", "B", "C"]).cells, jobs: 3)
        for index in 0..<3 { #expect(schedule.next()?.index == index) }
        #expect(schedule.finish(1, passed: false, wasFaithful: false) == .retry)
        #expect(schedule.finish(2, passed: false, wasFaithful: false) == .retry)
        #expect(schedule.finish(0, passed: true, wasFaithful: false) == .done)
        #expect(schedule.next()?.index == 3)
        #expect(schedule.next() == nil, "one is still running")
        #expect(schedule.doneCount == 1)
        #expect(schedule.finish(3, passed: true, wasFaithful: true) == .done)
        for index in [1, 2] {
            let next = schedule.next()
            #expect(next?.index == index && next?.attempt == 2)
            #expect(schedule.next() == nil, "this one has the machine for itself")
            #expect(!schedule.isDone)
            #expect(schedule.finish(index, passed: false, wasFaithful: false) == .done)
        }
        #expect(schedule.isDone)
    }

    @Test func `the attempt on a busy machine is no retry`() {
        var schedule = Self.schedule(SampleMatrix.specification(["A"]).cells, retries: 1)
        for index in 0..<2 { #expect(schedule.next()?.index == index) }
        #expect(schedule.finish(1, passed: false, wasFaithful: false) == .retry)
        #expect(schedule.finish(0, passed: true, wasFaithful: true) == .done)
        for attempt in 2...3 {
            let next = schedule.next()
            #expect(next?.attempt == attempt && next?.counted == attempt - 1)
            let decision = schedule.finish(1, passed: false, wasFaithful: true)
            #expect(decision == (attempt == 2 ? .retry : .done))
        }
    }

    @Test func `one that had the machine for itself is not repeated`() {
        var schedule = Self.schedule(SampleMatrix.specification(["A"]).cells, jobs: 1)
        #expect(schedule.next()?.index == 0)
        #expect(schedule.finish(0, passed: false, wasFaithful: false) == .done)
    }

    @Test(arguments: [(UnfaithfulRetry.all, true), (.failed, false), (.never, false)])
    func `whether one that passed is repeated is said`(
        policy: UnfaithfulRetry, isRepeated: Bool
    ) {
        var schedule = Self.schedule(
            SampleMatrix.specification(["A"]).cells, unfaithfulRetry: policy)
        while schedule.next() != nil {}
        let decision = schedule.finish(0, passed: true, wasFaithful: false)
        #expect(decision == (isRepeated ? .retry : .done))
        #expect(schedule.finish(1, passed: true, wasFaithful: true) == .done)
    }

    @Test func `a baseline that is repeated is waited for as well`() throws {
        var specification = SampleMatrix.specification(["A", "B"])
        specification.expectations["B"] = Expectations(
            duration: try DurationExpectation(parsing: "at most 3 x baseline"))
        var schedule = Self.schedule(specification.cells, jobs: 3)
        #expect(schedule.next()?.index == 0)
        #expect(schedule.next()?.index == 1)
        #expect(schedule.finish(0, passed: false, wasFaithful: false) == .retry)
        #expect(schedule.next() == nil)
        #expect(schedule.finish(1, passed: true, wasFaithful: true) == .done)
        for index in [0, 2] {
            #expect(schedule.next()?.index == index)
            #expect(schedule.next() == nil)
            #expect(schedule.finish(index, passed: true, wasFaithful: true) == .done)
        }
        #expect(schedule.isDone)
    }

    @Test func `once it is ended nothing starts`() {
        var schedule = Self.schedule(SampleMatrix.specification().cells)
        _ = schedule.next()
        schedule.end()
        #expect(schedule.next() == nil)
        #expect(!schedule.isDone)
        _ = schedule.finish(0, passed: true, wasFaithful: true)
        #expect(schedule.isDone)
    }

    @Test func `what others run is waited for, and runs here if they give it up`() {
        let cells = SampleMatrix.specification(["A", "B"]).cells
        var schedule = CellSchedule(
            cells, order: [0, 2, 1], retries: 1, isFailFast: false,
            jobs: JobCount(2, isFixed: true))
        #expect(schedule.next()?.index == 0)
        #expect(schedule.next()?.index == 2)
        schedule.leaveToOthers(2)
        schedule.leaveToOthers(1)
        #expect(schedule.next() == nil && schedule.elsewhere == [1, 2])
        #expect(schedule.finish(0, passed: true, wasFaithful: true) == .done)
        #expect(!schedule.isDone && schedule.waitsForOthers && schedule.doneCount == 1)
        schedule.noteDone(1)
        schedule.takeBack(2)
        let next = schedule.next()
        #expect(next?.index == 2 && next?.attempt == 1)
        #expect(schedule.finish(2, passed: true, wasFaithful: true) == .done)
        #expect(schedule.isDone && schedule.doneCount == 3)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `whatever happens, every cell runs, and none more often than it may`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var specification = SampleMatrix.specification(["A", "B", "C", "D"], repetitions: 3)
        specification.expectations["B"] = Expectations(
            duration: try DurationExpectation(parsing: "at most 1 x baseline"))
        let cells = specification.cells
        let retries = Int.random(in: 0...3, using: &random)
        let jobs = Int.random(in: 1...5, using: &random)
        let policy = try #require(UnfaithfulRetry.allCases.randomElement(using: &random))
        var schedule = Self.schedule(
            cells, retries: retries, unfaithfulRetry: policy, jobs: jobs, isFixed: false)
        var attempts = cells.map { _ in 0 }
        var running: [Int] = []
        while !schedule.isDone {
            while let (index, attempt, _) = schedule.next() {
                attempts[index] += 1
                #expect(attempt == attempts[index])
                running.append(index)
            }
            #expect(!running.isEmpty && running.count <= JobCount.mostPerProcessor * jobs)
            let position = try #require(running.indices.randomElement(using: &random))
            _ = schedule.finish(
                running.remove(at: position), passed: .random(using: &random),
                wasFaithful: Int.random(in: 0..<5, using: &random) > 0)
        }
        #expect(attempts.allSatisfy { (1...retries + 2).contains($0) })
        #expect(schedule.doneCount == cells.count)
    }
}
