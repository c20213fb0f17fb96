public import LinuxKernel
public import Netlink

/// A Multipath TCP connection with its current kernel state.
public struct MultipathConnection {
    /// One of its subflows, and the interface from which it starts.
    public struct Path {
        /// The kernel's description.
        public let path: MultipathPath
        /// Nil if no interface has its address any more.
        public let interface: String?
    }

    /// The remote endpoint of its first subflow.
    public let remote: Endpoint
    /// Its subflows.
    public let paths: [Path]

    /// All connections of the calling thread's network namespace.
    public static func all() throws(NetlinkError) -> [MultipathConnection] {
        // A kernel that does not support the query has no connections of interest.
        guard let paths = try? NetlinkSession(.sockets).multipathPaths(), !paths.isEmpty else {
            return []
        }
        let session = try NetlinkSession()
        let names = Dictionary(try session.links().map { ($0.index, $0.name) }) { $1 }
        let owners = Dictionary(
            try session.interfaceAddresses().map { ($0.address, $0.interface) }
        ) { $1 }
        return Dictionary(grouping: paths, by: \.connection).values.compactMap { paths in
            let sorted = paths.sorted { $0.local.description < $1.local.description }
            return sorted.first.map { first in
                MultipathConnection(
                    remote: first.remote,
                    paths: sorted.map { path in
                        Path(
                            path: path,
                            interface: owners[path.local.address].flatMap { names[$0] })
                    })
            }
        }.sorted { $0.paths[0].path.local.description < $1.paths[0].path.local.description }
    }
}
