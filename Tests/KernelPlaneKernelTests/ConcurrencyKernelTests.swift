import DataPlane
import Foundation
import LinkModel
import LinkTesting
import LinuxKernel
import Netlink
import Synchronization
import Testing

@testable import KernelPlane

@Suite("Many at once", .requiresConditioning)
struct ConcurrencyKernelTests {
    /// Runs `body` on `count` threads of the calling thread's namespace and waits for all.
    private static func onThreads(
        _ count: Int, _ body: @escaping @Sendable (Int, KernelPlane) throws -> Void
    ) throws -> [String] {
        let done = DispatchSemaphore(value: 0)
        let collected = Collected()
        for number in 0..<count {
            // A thread begins in the namespace of the one that makes it.
            Thread.detachNewThread {
                do {
                    try body(number, KernelPlane(environment: [:]))
                } catch {
                    collected.add("\(error)")
                }
                done.signal()
            }
        }
        for _ in 0..<count { done.wait() }
        return collected.all
    }

    private final class Collected: Sendable {
        private let texts = Mutex<[String]>([])
        func add(_ text: String) { texts.withLock { $0.append(text) } }
        var all: [String] { texts.withLock { $0 } }
    }

    @Test("Of those that apply at the same time, one is first and the others are told so")
    func race() async throws {
        try await TestHost.runUnchanged { host in
            let errors = try Self.onThreads(5) { number, kernel in
                try kernel.apply(TestHost.request(SampleConditions.lte, "profile \(number)"))
            }
            #expect(errors.count == 4)
            let winner = try #require(try host.kernel.status().first)
            for error in errors {
                #expect(error.contains("is conditioned with \(winner.profile) already"))
            }
            try host.kernel.clear(nil)
        }
    }

    @Test("However many replace and clear at the same time, one of them wins as a whole")
    func storm() async throws {
        try await TestHost.runUnchanged(interfaces: 2) { host in
            let names = SampleConditions.all.map(\.name)
            let errors = try Self.onThreads(4) { number, kernel in
                var random = SeededGenerator(seed: UInt64(number))
                for _ in 0..<15 {
                    let name = names.randomElement(using: &random) ?? "lte"
                    let interface = Bool.random(using: &random) ? "eth0" : "eth1"
                    if Int.random(in: 0..<4, using: &random) == 0 {
                        try kernel.clear([interface])
                    } else {
                        try kernel.apply(
                            TestHost.request(name, interfaces: [interface], replaces: true))
                    }
                }
            }
            #expect(errors == [])
            for found in try host.kernel.status() {
                #expect(found.problem == nil)
                let expected = SampleConditions[found.profile].asReported
                #expect(found.directions[.up]?.conditions == expected.up)
                #expect(found.directions[.down]?.conditions == expected.down)
                #expect(found.dnsDelay == expected.dnsDelay)
            }
            try host.kernel.clear(nil)
        }
    }

    @Test(
        "Another process that holds the lock is waited for",
        .enabled(if: hasPrograms("flock"), "flock is not installed"))
    func otherProcess() async throws {
        try await TestHost.runUnchanged { host in
            let path = try StateDirectory(environment: [:]).path + "/lock"
            // What it writes is there before it lets go.
            try shell("flock \(path) sh -c 'sleep 0.6; echo >\(path).end' >/dev/null 2>&1 &")
            try shell("until ! flock -n \(path) true || [ -e \(path).end ]; do :; done")
            try host.kernel.apply(TestHost.request("lte"))
            try shell("rm \(path).end")
            try host.kernel.clear(nil)
        }
    }

    @Test("200 interfaces are conditioned, told and cleared together")
    func manyInterfaces() async throws {
        try await TestHost.runUnchanged(interfaces: 200) { host in
            let names = (0..<200).map { "eth\($0)" }
            let request = TestHost.request("asymmetric", interfaces: names)
            let report = try host.kernel.apply(request)
            #expect(report.plans.count == 200)
            // 9,000 messages; the kernel's answers to one datagram must fit into a buffer.
            #expect(report.sentDatagrams <= 8)
            try host.expectStatus(of: request)
            let replacement = TestHost.request("codel", interfaces: names, replaces: true)
            try host.kernel.apply(replacement)
            try host.expectStatus(of: replacement)
            #expect(try host.kernel.clear(nil).count == 200)
        }
    }
}
