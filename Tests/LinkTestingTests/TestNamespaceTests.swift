import Foundation
import LinkTesting
import Synchronization
import Testing

@Suite("Namespaces of tests", .requiresNamespaces)
struct TestNamespaceTests {
    /// Whether a process runs, and so has a namespace. One that was killed gives it up some time
    /// before its state says that it has ended.
    private static func runs(_ process: Int32) -> Bool {
        let namespace = "/proc/\(process)/ns/net"
        return (try? FileManager.default.destinationOfSymbolicLink(atPath: namespace)) != nil
    }

    private static func names() throws -> String { try shell("ip netns list") }

    /// Starts a process in a namespace.
    private static func start(by run: (String) throws -> String) throws -> Int32 {
        let text = try run("sleep 600 </dev/null >/dev/null 2>&1 & echo $!")
        return try #require(Int32(text.filter(\.isNumber)))
    }

    @Test func `with it its processes end, and its name is gone`() throws {
        let name = "lctest-n\(ProcessInfo.processInfo.processIdentifier)"
        let process = try {
            let namespace = try TestNamespace(named: name)
            defer { withExtendedLifetime(namespace) {} }
            #expect(try Self.names().contains(name))
            let inside = try shell("ip netns exec \(name) readlink /proc/self/ns/net")
            #expect(try namespace.shell("readlink /proc/self/ns/net") == inside)
            #expect(try shell("\(namespace.entering) readlink /proc/self/ns/net") == inside)
            return try Self.start(by: namespace.shell)
        }()
        #expect(!Self.runs(process))
        #expect(try !Self.names().contains(name))
    }

    @Test func `nothing is left of a body that fails`() async throws {
        struct Failure: Error {}
        let process = Mutex<Int32?>(nil)
        await #expect(throws: Failure.self) {
            try await withNewNamespace {
                let started = try Self.start { try shell($0) }
                process.withLock { $0 = started }
                throw Failure()
            }
        }
        #expect(!Self.runs(try #require(process.withLock { $0 })))
    }

    @Test func `what runs elsewhere is left alone`() throws {
        let other = try TestNamespace()
        let process = try Self.start(by: other.shell)
        _ = try TestNamespace().shell("true")
        #expect(Self.runs(process))
        withExtendedLifetime(other) {}
    }
}
