import Bisection
import Foundation
import LinkTesting
import Testing

// Hundreds of searches take seconds: one after the other, and with pauses for other tests.
@Suite("The search for the crossing", .serialized, .tags(.unit))
struct CurveSearchTests {
    /// A kind of command, and where half of its runs fail.
    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The chance at a place, if half of the runs fail at the other.
        let chance: @Sendable (Double, Double) -> Double
        var truth: @Sendable (inout SeededGenerator) -> Double = {
            Double.random(in: 0.1...0.9, using: &$0)
        }
        var jobs = 1
    }

    private static func logistic(_ place: Double, _ middle: Double, _ width: Double) -> Double {
        1 / (1 + exp((place - middle) / width))
    }

    // At a loss of p, none of n packets is lost with a probability of (1-p)^n. The scale goes from
    // 0.01 % to 10 %.
    private static let packets = 100.0
    private static func loss(at place: Double) -> Double { 1e-4 * pow(1000, place) }

    static let kinds = [
        Kind(testDescription: "a step", chance: { $0 < $1 ? 1 : 0 }),
        Kind(testDescription: "a step the other way round", chance: { $0 > $1 ? 1 : 0 }),
        Kind(testDescription: "a step, four runs at once", chance: { $0 < $1 ? 1 : 0 }, jobs: 4),
        Kind(testDescription: "a step with failures of its own", chance: { $0 < $1 ? 0.95 : 0.05 }),
        Kind(testDescription: "a steep logistic curve", chance: { logistic($0, $1, 0.02) }),
        Kind(testDescription: "a flat logistic curve", chance: { logistic($0, $1, 0.08) }),
        Kind(
            testDescription: "a logistic curve, three runs at once",
            chance: { logistic($0, $1, 0.05) }, jobs: 3),
        Kind(
            testDescription: "a packet of a hundred must not be lost",
            chance: { place, _ in pow(1 - loss(at: place), packets) },
            truth: { _ in log((1 - pow(0.5, 1 / packets)) / 1e-4) / log(1000) }),
    ]

    // 100 searches each, whose seeds are fixed: at least 95 intervals have the truth.
    @Test("The interval has the truth in 95 of 100 searches", arguments: kinds)
    func coverage(of kind: Kind) async {
        var covered = 0
        var error = 0.0
        for seed in 1...100 {
            await Task.yield()
            var random = SeededGenerator(seed: UInt64(seed))
            let truth = kind.truth(&random)
            let command = SimulatedCommand { kind.chance($0, truth) }
            let search = command.search(jobs: kind.jobs, seed: random.next())
            if search.covers(truth) { covered += 1 }
            error += abs((search.crossing ?? 2) - truth) / 100
        }
        #expect(covered >= 95)
        #expect(error < 0.05)
    }

    @Test("A step is found with few runs, between neighbours")
    func step() throws {
        let search = SimulatedCommand { $0 < 0.7 ? 1 : 0 }.search(seed: 1)
        #expect(search.state == .settled)
        #expect(search.isStep)
        let interval = try #require(search.interval)
        #expect(interval == (22, 23))
        #expect(search.runs.count < 45)
        #expect(search.isGoodLast == false)
    }

    @Test("Ends that both pass, or both fail, end the search at once")
    func ends() {
        let good = SimulatedCommand { _ in 1 }.search(seed: 1)
        #expect(good.state == .noCrossing(first: .passes, last: .passes))
        #expect(good.runs.count == 2 * SequentialTest.lead)
        #expect(good.interval == nil)
        let bad = SimulatedCommand { _ in 0 }.search(seed: 1)
        #expect(bad.state == .noCrossing(first: .fails, last: .fails))
    }

    @Test("An end where about half of the runs pass is undecided")
    func undecidedEnd() {
        var search = CurveSearch(places: [0, 0.5, 1], mostRuns: 100)
        var passed = false
        while let run = search.start() {
            passed.toggle()
            search.finish(run, passed: search.runs[run].point == 2 || passed)
        }
        #expect(search.state == .noCrossing(first: .undecided, last: .passes))
        #expect(search.counts[0].runs == SequentialTest.mostRuns)
    }

    @Test("A curve that turns back is said to, and shown", arguments: 1...20)
    func turnsBack(seed: UInt64) {
        let search = SimulatedCommand { place in
            place < 0.3 || (0.6...0.8).contains(place) ? 1 : 0
        }.search(mostRuns: 100, seed: seed)
        #expect(search.state == .turnsBack)
        #expect(search.interval == nil)
        #expect(search.crossing == nil)
        #expect(search.counts.count(where: { $0.runs > 0 }) >= 9)
    }

    // Its error is 5 % at most, and 1 search of 40 is the least that this allows to happen twice.
    @Test("A curve that falls is not said to turn back")
    func fallsOnly() {
        let searches = (1...40).map { seed in
            SimulatedCommand { Self.logistic($0, 0.5, 0.1) }.search(seed: UInt64(seed))
        }
        #expect(searches.count(where: \.turnsBack) <= 2)
    }

    @Test("Without enough runs, the interval known so far is wider")
    func exhausted() throws {
        let search = SimulatedCommand { $0 < 0.7 ? 1 : 0 }.search(mostRuns: 12, seed: 1)
        #expect(search.state == .isExhausted)
        let interval = try #require(search.interval)
        #expect(interval.bad - interval.good > 1)
        #expect(search.covers(0.7))
    }

    @Test("The order in which runs end does not matter")
    func order() throws {
        var one = CurveSearch(places: (0...8).map { Double($0) / 8 }, mostRuns: 60)
        var other = one
        var random = SeededGenerator(seed: 3)
        while true {
            let numbers = (0..<4).compactMap { _ in one.start() }
            guard !numbers.isEmpty else { break }
            #expect(numbers == (0..<4).compactMap { _ in other.start() })
            let passed = numbers.map { run in
                Double.random(in: 0..<1, using: &random)
                    < Self.logistic(one.places[one.runs[run].point], 0.4, 0.1)
            }
            for index in numbers.indices { one.finish(numbers[index], passed: passed[index]) }
            for index in numbers.indices.reversed() {
                other.finish(numbers[index], passed: passed[index])
            }
        }
        #expect(one.runs == other.runs)
        #expect(try #require(one.interval) == #require(other.interval))
    }

    @Test("A range of two values needs only its ends")
    func twoValues() throws {
        let search = SimulatedCommand { $0 < 0.5 ? 1 : 0 }.search(gaps: 1, seed: 1)
        #expect(search.state == .settled)
        #expect(try #require(search.interval) == (0, 1))
    }
}

@Suite("The sequential test", .tags(.unit))
struct SequentialTestTests {
    @Test("It decides when three more runs go one way")
    func decides() {
        #expect(SequentialTest.lead == 3)
        #expect(SequentialTest.verdict(passed: 3, failed: 0) == .passes)
        #expect(SequentialTest.verdict(passed: 1, failed: 4) == .fails)
        #expect(SequentialTest.verdict(passed: 4, failed: 2) == nil)
        #expect(SequentialTest.verdict(passed: 8, failed: 7) == .undecided)
    }

    // Wald's bound is 5 %; 10,000 tests may show 5.7 % at most (three deviations).
    @Test("It errs as rarely as it says", arguments: [0.8, 0.2])
    func errors(share: Double) {
        var random = SeededGenerator(seed: 7)
        var wrong = 0
        for _ in 0..<10_000 {
            var (passed, failed) = (0, 0)
            while SequentialTest.verdict(passed: passed, failed: failed) == nil {
                if Double.random(in: 0..<1, using: &random) < share {
                    passed += 1
                } else {
                    failed += 1
                }
            }
            let verdict = SequentialTest.verdict(passed: passed, failed: failed)
            if verdict == (share > 0.5 ? .fails : .passes) { wrong += 1 }
        }
        #expect(wrong <= 570)
    }
}
