import FoundationEssentials
import Glibc
import HTTPAPI
import NIOCore
import NIOPosix
import SystemPackage

/// The file of an API on a Unix socket.
enum SocketFile {
    /// How many bytes a path may have, which swift-nio decides.
    static let longestPath = 103

    /// Makes way for a socket: removes what a killed program has left, and has the new file belong to
    /// this user alone, since whoever opens it needs no token.
    static func prepare(_ address: APIAddress, on group: any EventLoopGroup) async throws {
        guard case .unix(let path) = address else { return }
        umask(0o177)
        guard let status = try? FilePath(path).stat(followTargetSymlink: false) else { return }
        guard status.type == .socket else {
            throw Occupied(description: "a file that is no socket is there")
        }
        let other = try? await ClientBootstrap(group: group).connect(unixDomainSocketPath: path)
            .get()
        guard other == nil else {
            try? await other?.close()
            throw Occupied(description: "another program listens there; choose another path")
        }
        remove(address)
    }

    /// Removes the file.
    static func remove(_ address: APIAddress) {
        guard case .unix(let path) = address else { return }
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Why the path cannot be used.
    struct Occupied: Error, CustomStringConvertible {
        let description: String
    }
}
