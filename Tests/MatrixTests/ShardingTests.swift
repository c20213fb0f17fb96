import LinkTesting
import Testing

@testable import Matrix

@Suite("Parts of a matrix", .tags(.unit))
struct ShardingTests {
    @Test(arguments: [1, 2, 3, 7, 40])
    func `every cell is in one part, and the baseline in all`(count: Int) {
        let cells = SampleMatrix.specification(["A", "B", "C", "D"], repetitions: 5).cells
        let parts = Sharding(cells, into: count).parts
        #expect(parts.count == count)
        let shared = parts.flatMap { $0.filter { !$0.isBaseline } }
        #expect(shared.count == 20)
        #expect(Set(shared) == Set(cells.filter { !$0.isBaseline }))
        for part in parts where !part.isEmpty {
            #expect(part.filter(\.isBaseline).count == 5)
            #expect(part == cells.filter { part.contains($0) }, "in their order")
        }
        let sizes = parts.map { $0.count { !$0.isBaseline } }
        #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) <= 1)
    }

    @Test func `a matrix of nothing but a baseline is the first part's`() {
        let parts = Sharding(SampleMatrix.specification([]).cells, into: 2).parts
        #expect(parts.map(\.count) == [1, 0])
    }

    @Test func `by earlier durations the parts take equally long`() {
        let cells = SampleMatrix.specification(["A", "B", "C", "D", "E"]).cells
        let seconds = ["A": 1.0, "B": 1, "C": 4, "D": 1, "E": 1]
        let parts = Sharding(cells, into: 2, earlierSeconds: seconds).parts
        #expect(
            parts.map { $0.filter { !$0.isBaseline }.map(\.profile) }
                == [["C"], ["A", "B", "D", "E"]])
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `no part takes more than a third longer than it has to`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let names = (0..<30).map { "P\($0)" }
        let seconds = Dictionary(
            uniqueKeysWithValues: names.map { ($0, Double.random(in: 1...100, using: &random)) })
        let cells = SampleMatrix.specification(names).cells
        let count = Int.random(in: 2...6, using: &random)
        let loads = Sharding(cells, into: count, earlierSeconds: seconds).parts.map { part in
            part.reduce(0) { $0 + (seconds[$1.profile] ?? 0) }
        }
        let least = max(
            seconds.values.reduce(0, +) / Double(count), seconds.values.max() ?? 0)
        #expect((loads.max() ?? 0) <= least * 4 / 3)
    }

    @Test func `an earlier report tells durations by profile, without what was not run`() {
        let report = SampleMatrix.report(
            SampleMatrix.specification(), statuses: ["3G": .notRun], seconds: 3)
        #expect(report.secondsByProfile == ["baseline": 3, "LTE": 3])
    }

    /// The variables of a task of `sbatch --array`.
    private static func slurm(
        task: Int, of count: Int, from first: Int, by step: Int = 1
    ) -> [String: String] {
        [
            "SLURM_ARRAY_TASK_ID": "\(task)", "SLURM_ARRAY_TASK_COUNT": "\(count)",
            "SLURM_ARRAY_TASK_MIN": "\(first)", "SLURM_ARRAY_TASK_STEP": "\(step)",
        ]
    }

    @Test(arguments: [
        (["CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "3"], "2/3"),
        (["CIRCLE_NODE_INDEX": "2", "CIRCLE_NODE_TOTAL": "3"], "3/3"),
        (["BUILDKITE_PARALLEL_JOB": "0", "BUILDKITE_PARALLEL_JOB_COUNT": "3"], "1/3"),
        (["SYSTEM_JOBPOSITIONINPHASE": "1", "SYSTEM_TOTALJOBSINPHASE": "4"], "1/4"),
        (["SEMAPHORE_JOB_INDEX": "4", "SEMAPHORE_JOB_COUNT": "4"], "4/4"),
        (["JOB_COMPLETION_INDEX": "0", "LINKCOND_SHARDS": "2"], "1/2"),
        (Self.slurm(task: 5, of: 3, from: 5), "1/3"), (Self.slurm(task: 2, of: 3, from: 0), "3/3"),
        (Self.slurm(task: 7, of: 3, from: 1, by: 3), "3/3"),
        (["LINKCOND_SHARD": "2/5", "CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "3"], "2/5"),
    ])
    func `engines say which part a job is`(environment: [String: String], shard: String) throws {
        #expect(try Shard.detected(in: environment)?.shard.description == shard)
    }

    @Test(arguments: [
        [:], ["CI_NODE_INDEX": "1"], ["SLURM_ARRAY_TASK_ID": "1"],
        ["CI_NODE_INDEX": "a", "CI_NODE_TOTAL": "b"],
        ["JOB_COMPLETION_INDEX": "0"], ["LINKCOND_SHARD": ""],
    ])
    func `who says nothing, or half of it, says nothing`(environment: [String: String]) throws {
        #expect(try Shard.detected(in: environment) == nil)
    }

    @Test(arguments: [
        ["CI_NODE_INDEX": "4", "CI_NODE_TOTAL": "3"], ["CI_NODE_INDEX": "0", "CI_NODE_TOTAL": "3"],
        ["LINKCOND_SHARD": "3"], ["LINKCOND_SHARD": "4/3"], slurm(task: 7, of: 3, from: 1),
        slurm(task: 2, of: 3, from: 1, by: 3), slurm(task: 0, of: 3, from: 1),
        ["CI_NODE_INDEX": "9223372036854775807", "CI_NODE_TOTAL": "3"],
    ])
    func `what is no part of a whole is refused`(environment: [String: String]) {
        #expect(throws: MatrixError.self) { try Shard.detected(in: environment) }
    }

    @Test(arguments: ["", "1", "0/3", "4/3", "1/0", "-1/3", "1/3/5", "a/b", "1/"])
    func `a part is written as 2 of 3`(text: String) {
        #expect(Shard(text) == nil)
        #expect(Shard("2/3") == Shard(index: 2, count: 3))
    }
}
