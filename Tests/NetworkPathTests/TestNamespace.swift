import Glibc
import LinkTesting
import LinuxKernel
import Netlink
import SystemPackage

@testable import NetworkPath

/// A network namespace that lives as long as this object, with two interfaces that lead nowhere:
/// `wifi0`, 192.0.2.2 and fd00::2, and `cell0`, 198.51.100.2.
final class TestNamespace: Sendable {
    let descriptor: FileDescriptor

    static let wifi = "192.0.2.1"
    static let cell = "198.51.100.1"

    init() async throws {
        descriptor = try await withNewNamespace {
            try LinkTesting.shell(
                """
                set -e
                ip link set lo up
                ip link add wifi0 type veth peer name wifi1
                ip link add cell0 type veth peer name cell1
                for name in wifi0 wifi1 cell0 cell1; do
                    ip link set $name addrgenmode none
                    ip link set $name up
                done
                ip address add 192.0.2.2/24 dev wifi0
                ip address add fd00::2/64 dev wifi0 nodad
                ip address add 198.51.100.2/24 dev cell0
                ip route add default via 192.0.2.1 dev wifi0 metric 600
                ip route add default via 198.51.100.1 dev cell0 metric 700
                """)
            return try NetworkNamespace.openCurrent()
        }
    }

    deinit {
        try? descriptor.close()
    }

    /// Runs `body` in the namespace, on a thread of its own.
    func inside<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) throws -> Value {
        try NetworkNamespace.run(
            inNamespaceAt: "/proc/self/fd/\(descriptor.rawValue)", body)
    }

    @discardableResult
    func shell(_ script: String) throws -> String {
        try inside { try LinkTesting.shell(script) }
    }

    /// The aliases of the interfaces that override tools would write.
    func mark(_ name: String, _ mark: NetworkMark) throws {
        try inside {
            let session = try NetlinkSession()
            guard let link = try session.link(named: name) else { return }
            try session.execute(
                Link.setAlias(index: link.index, bytes: mark.written(into: []) ?? []),
                attempt: "mark \(name)")
        }
    }

    func path() throws -> NetworkPath { try inside { try NetworkPath.current() } }

    func feed(_ requirements: NetworkRequirements = .none) -> PathFeed {
        PathFeed(requirements: requirements, namespace: descriptor)
    }
}

/// What was waited for did not come.
struct Missing: Error, CustomStringConvertible {
    let description: String
}

extension PathFeed {
    /// Takes paths until one fits, for half a minute at most.
    @discardableResult
    func path(
        _ what: String, where fits: @escaping @Sendable (NetworkPath) -> Bool
    ) async throws -> NetworkPath {
        try await withThrowingTaskGroup(of: NetworkPath.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                while let path = try await self.next() {
                    if fits(path) { return path }
                }
                throw CancellationError()
            }
            group.addTask {
                try await Task.sleep(for: .seconds(30))
                throw Missing(description: "\(what) was not told")
            }
            guard let path = try await group.next() else { throw CancellationError() }
            return path
        }
    }
}
