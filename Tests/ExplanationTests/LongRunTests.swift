import LinkTesting
import LinkUnits
import Testing

@testable import Explanation

@Suite("Long runs", .tags(.unit))
struct LongRunTests {
    private static func path(sections: Int) -> CriticalPath {
        (0..<sections).reduce(CriticalPath(from: .zero)) { path, number in
            let owner = CriticalPath.Owner(connection: number % 3, exchange: number)
            return path.extended(
                to: path.end + .milliseconds(1),
                by: WaitKind(number % 2 == 0 ? .propagation : .server), of: owner)
        }
    }

    private static func sum(_ path: CriticalPath) -> Duration {
        path.sectionsFromEnd.flatMap(\.waits).map(\.length).reduce(.zero, +)
    }

    @Test func `the old part is summed up, and no time is lost`() {
        let path = Self.path(sections: 10_000)
        let ends = path.sectionsFromEnd.prefix(50).map(\.end)
        path.sumUp(to: 100)
        let sections = Array(path.sectionsFromEnd)
        #expect(sections.count <= 102)
        #expect(Self.sum(path) == .seconds(10))
        #expect(sections.prefix(50).map(\.end) == ends)
        for (later, earlier) in zip(sections, sections.dropFirst()) {
            #expect(later.start == earlier.end)
        }
        #expect(sections.last?.start == .zero)
        // Of about 200 requests the three connections are left.
        #expect(sections.last?.parts?.map(\.owner.connection) == [0, 1, 2])
        #expect(sections.last?.parts?.allSatisfy { $0.owner.exchange == nil } == true)
    }

    @Test func `a path that shares the old part keeps its waits`() {
        let old = Self.path(sections: 1000)
        let other = old.extended(
            to: old.end + .seconds(1), by: WaitKind(.app), of: .app)
        var path = old
        for number in 0..<1000 {
            path = path.extended(
                to: path.end + .milliseconds(1), by: WaitKind(.server),
                of: CriticalPath.Owner(connection: 1, exchange: number))
        }
        for count in [200, 100, 50] { path.sumUp(to: count) }
        #expect(Self.sum(path) == .seconds(2))
        #expect(Self.sum(old) == .seconds(1))
        #expect(Self.sum(other) == .seconds(2))
        #expect(old.sectionsFromEnd.map(\.start).min() == .zero)
    }

    @Test func `a short path is left alone`() {
        let path = Self.path(sections: 100)
        path.sumUp(to: 100)
        #expect(Array(path.sectionsFromEnd).count == 100)
        #expect(path.sectionsFromEnd.allSatisfy { $0.parts == nil })
    }

    @Test func `of more connections than are listed, the sums are right`() throws {
        var run = CapturedRun(delay: .milliseconds(1))
        var now = Duration.zero
        for number in 0..<6000 {
            var connection = ScriptedConnection(port: 1024 + number)
            connection.up += number
            now = connection.open(at: now, in: &run)
            now = connection.request("/", at: now, bytes: 10, in: &run)
        }
        let found = try run.explanation(run: .zero..<now)
        #expect(found.shares.values.reduce(.zero, +) == found.duration)
        #expect(found.connections.count == 5000)
        #expect(found.omittedConnections == 1000)
        #expect(found.shares[.tcpHandshake] == (.milliseconds(2) + CapturedRun.reaction) * 6000)
        #expect(found.notes.contains { $0.contains("1000 further connections") })
        #expect(found.notes.contains { $0.contains("summed up") })
        #expect(found.sentence.contains("TCP handshakes of 6000 connections"))
    }
}
