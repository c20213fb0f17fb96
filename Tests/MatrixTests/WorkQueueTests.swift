import Foundation
import LinkModel
import LinkTesting
import Testing

@testable import Matrix

@Suite("Work queue", .tags(.unit))
struct WorkQueueTests {
    private static let names = ["baseline", "LTE", "3G"]

    /// Runs `body` with two workers of the same matrix.
    private static func withWorkers(
        _ body: (MatrixStore, inout WorkQueue, inout WorkQueue) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { temporary in
            let path = "\(temporary.path)/report"
            let store = try MatrixStore.join(SampleMatrix.queue(), at: path)
            var first = try WorkQueue(store, names: names)
            let other = try MatrixStore.join(SampleMatrix.queue(), at: path)
            #expect(other.record.startedAt == store.record.startedAt, "the first one's counts")
            var second = try WorkQueue(other, names: names)
            try body(store, &first, &second)
        }
    }

    private static func finish(_ id: String, claim: Int, in store: MatrixStore) throws {
        let name = claim == 1 ? id : "\(id).claim-\(claim)"
        try store.save(
            SampleMatrix.result(id, of: store.record, claim: claim), as: name, isLasting: false)
    }

    @Test func `each cell goes to one worker, and is left alone once it is done`() async throws {
        try await Self.withWorkers { store, first, second in
            #expect(try first.claim(1) == .claimed)
            #expect(try second.claim(1) == .elsewhere)
            #expect(try second.claim(2) == .claimed)
            #expect(try second.look(at: [1]) == [1: .elsewhere])
            try Self.finish("LTE", claim: 1, in: store)
            #expect(try second.look(at: [1]) == [1: .done])
            let third = try WorkQueue(store, names: Self.names)
            #expect(third.known(1) == .done && third.known(2) == .elsewhere)
            #expect(third.known(0) == nil)
            #expect(Set([first.worker, second.worker, third.worker]).count == 3)
        }
    }

    @Test func `what a worker leaves is taken by one of the others`() async throws {
        try await Self.withWorkers { store, first, second in
            #expect(try first.claim(1) == .claimed)
            first.leave()
            var third = try WorkQueue(store, names: Self.names)
            #expect(try second.look(at: [1]) == [1: .abandoned])
            #expect(try third.look(at: [1]) == [1: .abandoned])
            #expect(try second.claim(1) == .claimed)
            #expect(try third.claim(1) == .elsewhere)
            #expect(second.claimNumber(of: 1) == 2 && second.fileName(of: 1) == "LTE.claim-2")
            #expect(first.isLost(1) && !second.isLost(1))
        }
    }

    @Test(arguments: [[1, 2], [2, 1]])
    func `results of two workers at the same moment are one, the later claim's`(
        order: [Int]
    ) async throws {
        try await Self.withWorkers { store, first, second in
            _ = try first.claim(1)
            first.leave()
            _ = try second.look(at: [1])
            _ = try second.claim(1)
            for claim in order { try Self.finish("LTE", claim: claim, in: store) }
            #expect(store.load()["LTE"]?.claim == 2)
            #expect(MatrixReport(store.record, store.load()).cells.count { $0.id == "LTE" } == 1)
            #expect(second.result(of: 1)?.claim == 2)
        }
    }

    @Test func `a result that came before the take-over counts`() async throws {
        try await Self.withWorkers { store, first, second in
            _ = try first.claim(1)
            first.leave()
            _ = try second.look(at: [1])
            try Self.finish("LTE", claim: 1, in: store)
            #expect(try second.claim(1) == .done)
        }
    }

    @Test func `a damaged result is replaced by that of another claim`() async throws {
        try await Self.withWorkers { store, first, second in
            _ = try first.claim(1)
            try store.directory.write("{", to: "cells/LTE.json")
            #expect(try second.look(at: [1]) == [1: .done])
            first.leave()
            second.distrust(1)
            #expect(try second.look(at: [1]) == [1: .abandoned])
            #expect(try second.claim(1) == .claimed)
            try Self.finish("LTE", claim: 2, in: store)
            #expect(try second.look(at: [1]) == [1: .done])
            #expect(store.load()["LTE"]?.claim == 2)
        }
    }

    @Test func `a directory with something else is not shared`() async throws {
        try await withTemporaryDirectory { temporary in
            try temporary.write("{}", to: "old/report.json")
            let old = #expect(throws: MatrixError.self) {
                try MatrixStore.join(SampleMatrix.queue(), at: "\(temporary.path)/old")
            }
            #expect(old?.description.contains("is there and of no work queue") == true)
            let path = "\(temporary.path)/plain"
            _ = try MatrixStore.begin(SampleMatrix.record(), at: path)
            let plain = #expect(throws: MatrixError.self) {
                try MatrixStore.join(SampleMatrix.queue(), at: path)
            }
            #expect(plain?.status == .usage)
            #expect(
                plain?.description.contains("is no work queue; go on with it with --re") == true)
            let shared = "\(temporary.path)/shared"
            _ = try MatrixStore.join(SampleMatrix.queue(), at: shared)
            let other = SampleMatrix.queue(SampleMatrix.specification(["Edge"]))
            #expect(throws: MatrixError.self) { try MatrixStore.join(other, at: shared) }
            let replaced = #expect(throws: MatrixError.self) {
                try ReportDirectory(creating: shared)
            }
            #expect(replaced?.description.contains("join it with --queue") == true)
        }
    }
}

@Suite("Watching other workers", .tags(.unit))
struct WorkerWatchTests {
    private let begin = ContinuousClock.now

    /// Which workers may be alive after this many seconds, if their files have these contents.
    private func alive(
        _ watch: inout WorkerWatch, after seconds: Int, _ contents: [String: String]
    ) -> Set<String> {
        watch.begin(at: begin + .seconds(seconds))
        return Set(contents.filter { watch.isAlive($0.key, content: $0.value) }.keys)
    }

    @Test func `one whose file stays the same for the time of the lease is dead`() {
        var watch = WorkerWatch(lease: .seconds(10))
        for second in 0..<10 {
            let found = alive(&watch, after: second, ["silent": "7", "busy": "\(second)"])
            #expect(found == ["silent", "busy"])
        }
        let late = alive(&watch, after: 10, ["silent": "7", "busy": "9"])
        #expect(late == ["busy"])
        let again = alive(&watch, after: 11, ["silent": "8"])
        #expect(again == ["silent"], "it was only slow")
    }

    @Test func `time in which this process was stopped itself does not count`() {
        var watch = WorkerWatch(lease: .seconds(10))
        for second in [0, 1, 3600, 3601] {
            let found = alive(&watch, after: second, ["other": "7"])
            #expect(found == ["other"])
        }
    }
}
