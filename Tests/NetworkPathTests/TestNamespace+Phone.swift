import Glibc
import LinkTesting
import LinuxKernel
import Netlink
import SystemPackage

@testable import NetworkPath

/// A phone, as the library sees it.
extension TestNamespace {
    static let wifi = "192.0.2.1"
    static let cell = "198.51.100.1"

    static func phone() throws -> TestNamespace {
        try TestNamespace(phoneScript + "ip route add default via \(wifi) dev wifi0 metric 600")
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
