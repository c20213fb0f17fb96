import FoundationEssentials

/// The TCP ports on which somebody listens in a network namespace.
enum ListeningPorts {
    /// Those of the calling thread's namespace.
    ///
    /// Looking does not disturb a server as connecting would.
    static func current() -> Set<UInt16> {
        ["tcp", "tcp6"].reduce(into: []) { ports, table in
            ports.formUnion(parse(HostNames.text(of: "/proc/thread-self/net/\(table)") ?? ""))
        }
    }

    /// Reads a table of sockets as `/proc/net/tcp` shows it.
    static func parse(_ table: String) -> Set<UInt16> {
        let listening = "0A"
        let ports = table.split(separator: "\n").dropFirst().compactMap { line -> UInt16? in
            let columns = line.split(separator: " ")
            guard columns.count > 3, columns[3] == listening,
                let port = columns[1].split(separator: ":").last
            else { return nil }
            return UInt16(port, radix: 16)
        }
        return Set(ports)
    }
}
