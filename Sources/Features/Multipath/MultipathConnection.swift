public import LinuxKernel
public import Netlink

/// A connection of Multipath TCP, as the kernel has it now.
public struct MultipathConnection {
    /// One of its paths, and the interface from which it starts.
    public struct Path {
        /// What the kernel says of it.
        public let path: MultipathPath
        /// Nil if no interface has the address any more.
        public let interface: String?
    }

    /// The other end of its first path.
    public let remote: Endpoint
    /// Its paths.
    public let paths: [Path]

    /// All connections of the calling thread's network namespace.
    public static func all() throws(NetlinkError) -> [MultipathConnection] {
        // Kernels that cannot be asked have none that matter.
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
