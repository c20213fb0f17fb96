import Foundation
import LinuxKernel
import Synchronization
import Testing

@testable import PacketLoop

@Suite("The stand-in of a direction's thread")
struct StandInTests {
    @Test
    func `It does what is overdue, also what is due sooner than it expected`() async throws {
        let stage = Stage()
        let standIn = try stage.callStandIn("overdue")
        defer { standIn.dismiss() }
        standIn.expect(KernelClock.monotonic + .seconds(3600))
        try await Task.sleep(for: .milliseconds(20))
        #expect(stage.count == 0)
        for number in 1...3 {
            let due = KernelClock.monotonic
            standIn.expect(due)
            try await stage.waitUntil(count: number)
            #expect(KernelClock.monotonic - due >= StandIn.patience)
        }
    }

    @Test
    func `It wakes up no more often than there is work`() async throws {
        let stage = Stage()
        let standIn = try stage.callStandIn("nothing-to-do")
        defer { standIn.dismiss() }
        standIn.expect(KernelClock.monotonic)
        try await stage.waitUntil(count: 1)
        let before = try Self.wakeUps(of: "nothing-to-do")
        // Nothing is due, and then only what is done in time.
        try await Task.sleep(for: .milliseconds(200))
        for _ in 1...5 { standIn.expect(KernelClock.monotonic + .seconds(1800)) }
        try await Task.sleep(for: .milliseconds(200))
        standIn.expect(nil)
        let count = try Self.wakeUps(of: "nothing-to-do") - before
        #expect(count <= 2)
    }

    @Test
    func `It leaves when it was not needed for a while`() async throws {
        let stage = Stage()
        let standIn = try stage.callStandIn("unneeded", staying: .milliseconds(10))
        defer { standIn.dismiss() }
        try await until { !standIn.isHere }
        standIn.expect(KernelClock.monotonic)
        #expect(stage.count == 0)
    }

    /// How often a thread of this process has gone to sleep.
    private static func wakeUps(of name: String) throws -> Int {
        let tasks = URL(filePath: "/proc/self/task")
        for task in try FileManager.default.contentsOfDirectory(atPath: tasks.path) {
            let status = try? String(
                contentsOf: tasks.appending(components: task, "status"), encoding: .utf8)
            guard let lines = status?.split(separator: "\n"), lines.first == "Name:\t\(name)"
            else { continue }
            let line = try #require(lines.first { $0.hasPrefix("voluntary_ctxt_switches:") })
            return try #require(Int(line.split(separator: "\t")[1]))
        }
        throw CocoaError(.fileNoSuchFile)
    }
}

/// Work that is never due again once it is done.
private final class Stage: Sendable {
    private let done = Atomic<Int>(0)
    private let standIn = Mutex<StandIn?>(nil)

    var count: Int { done.load(ordering: .relaxed) }

    func callStandIn(_ name: String, staying stay: Duration = .seconds(3600)) throws -> StandIn {
        let new = try StandIn(named: name, staying: stay) { [self] in
            standIn.withLock { $0 }?.expect(nil)
            done.add(1, ordering: .relaxed)
        }
        standIn.withLock { $0 = new }
        return new
    }

    func waitUntil(count: Int) async throws {
        try await until { self.count >= count }
    }
}

private func until(_ isReached: () -> Bool) async throws {
    let end = KernelClock.monotonic + .seconds(60)
    while !isReached(), KernelClock.monotonic < end {
        try await Task.sleep(for: .milliseconds(1))
    }
    try #require(isReached())
}
