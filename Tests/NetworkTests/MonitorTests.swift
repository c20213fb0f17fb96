import Foundation
import LinkTesting
import Network
import Testing

/// The monitor on this host's network. How paths come about is tested with `NetworkPath`.
@Suite("NWPathMonitor") struct MonitorTests {
    private let queue = DispatchQueue(label: "monitor")

    @Test func `the first path comes at once, on the queue`() async {
        let monitor = NWPathMonitor()
        let paths = Events<NWPath>()
        let queue = queue
        monitor.pathUpdateHandler = { path in
            dispatchPrecondition(condition: .onQueue(queue))
            paths.add(path)
        }
        monitor.start(queue: queue)
        let path = await paths.first { _ in true }
        #expect(path == monitor.currentPath && monitor.queue === queue)
        monitor.cancel()
        #expect(monitor.pathUpdateHandler == nil)
    }

    @Test func `a handler that comes late is told as well`() async throws {
        let monitor = NWPathMonitor()
        monitor.start(queue: queue)
        let seen = Events<NWPath>()
        for await _ in NWPathMonitor() { break }
        try await Task.sleep(for: .milliseconds(100))
        monitor.pathUpdateHandler = { seen.add($0) }
        #expect(await seen.first { _ in true } != nil)
        monitor.cancel()
    }

    @Test func `a kind is required or prohibited`() async {
        let loopback = NWPathMonitor(requiredInterfaceType: .loopback)
        #expect(loopback.currentPath.usesInterfaceType(.loopback))
        #expect(loopback.currentPath.availableInterfaces.map(\.type) == [.loopback])
        let none = NWPathMonitor(prohibitedInterfaceTypes: [
            .wifi, .cellular, .wiredEthernet, .other, .loopback,
        ])
        for await path in none {
            #expect(path.status != .satisfied && path.availableInterfaces.isEmpty)
            #expect(path.unsatisfiedReason == .notAvailable)
            break
        }
    }

    @Test func `the sequence ends with its task`() async {
        let task = Task {
            var count = 0
            for await _ in NWPathMonitor() { count += 1 }
            return count
        }
        try? await Task.sleep(for: .milliseconds(50))
        task.cancel()
        #expect(await task.value >= 0)
    }
}
