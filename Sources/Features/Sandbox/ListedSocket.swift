import LinkModel
import LinuxKernel

/// A socket as `/proc/net` lists it.
struct ListedSocket: Hashable {
    /// The tables of the calling thread's network namespace.
    enum Table: String {
        case tcp, udp
    }

    /// The TCP states with the kernel's numbers.
    enum State: UInt8 {
        case established = 1
        case synSent, synReceived, finWait1, finWait2, timeWait, closed, closeWait, lastAck
        case listening, closing, newSynReceived
    }

    /// The local endpoint.
    let local: Endpoint
    /// The remote endpoint; zeros for none.
    let remote: Endpoint
    /// Nil for a state that only newer kernels have.
    let state: State?
    /// Bytes sent or queued that the peer has not acknowledged.
    let unacknowledged: UInt64
    /// Bytes received but not read; for a listener, connections not accepted.
    let unread: UInt64

    /// All sockets of the table, for IPv4 and IPv6.
    ///
    /// Unlike connecting, reading the table does not disturb a server.
    static func all(_ table: Table) -> [ListedSocket] {
        ["", "6"].flatMap { suffix -> [ListedSocket] in
            // To list one namespace's sockets, the kernel walks those of all namespaces and the
            // whole hash table, so check first whether there are any.
            let numbers = HostNames.text(of: "/proc/thread-self/net/sockstat\(suffix)") ?? ""
            let name = "\(table.rawValue)\(suffix)"
            guard numbers.count(of: name.uppercased()) != 0 else { return [] }
            return parse(HostNames.text(of: "/proc/thread-self/net/\(name)") ?? "")
        }
    }

    /// Parses a table such as `/proc/net/tcp`.
    static func parse(_ table: String) -> [ListedSocket] {
        table.split(separator: "\n").dropFirst().compactMap { ListedSocket(line: $0) }
    }

    private init?(line: Substring) {
        let columns = line.split(separator: " ")
        guard columns.count > 4, let local = Endpoint(listed: columns[1]),
            let remote = Endpoint(listed: columns[2]), let state = UInt8(columns[3], radix: 16)
        else { return nil }
        let queues = columns[4].split(separator: ":").map { UInt64($0, radix: 16) ?? 0 }
        guard queues.count == 2 else { return nil }
        self.local = local
        self.remote = remote
        self.state = State(rawValue: state)
        (unacknowledged, unread) = (queues[0], queues[1])
    }

    /// Whether a server in the calling thread's network namespace listens on this port.
    static func isServed(_ port: ServerPort) -> Bool {
        all(port.isUDP ? .udp : .tcp).contains { socket in
            // A UDP socket with a remote endpoint is a client's.
            socket.local.port == port.number
                && (port.isUDP ? socket.remote.port == 0 : socket.state == .listening)
        }
    }
}

extension Endpoint {
    /// Parses `0100007F:1F90`: the words of the address in native byte order.
    fileprivate init?(listed text: Substring) {
        let parts = text.split(separator: ":")
        guard parts.count == 2, parts[0].utf8.count % 8 == 0,
            let port = UInt16(parts[1], radix: 16)
        else { return nil }
        var bytes: [UInt8] = []
        var rest = parts[0]
        while !rest.isEmpty {
            guard let word = UInt32(rest.prefix(8), radix: 16) else { return nil }
            let number = UInt32(bigEndian: word)
            bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
            rest = rest.dropFirst(8)
        }
        // IPv6 sockets may carry IPv4: ::ffff:192.0.2.1 (RFC 4291, section 2.5.5.2).
        let isMapped = bytes.count == 16 && bytes.prefix(12) == Self.mappedPrefix
        guard let address = IPAddress(bytes: isMapped ? bytes.suffix(4) : bytes[...]) else {
            return nil
        }
        self.init(address, port: port)
    }

    private static let mappedPrefix: ArraySlice<UInt8> = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
}

extension String {
    /// The number of sockets in use according to `/proc/net/sockstat`; nil if unknown.
    fileprivate func count(of name: String) -> Int? {
        for line in split(separator: "\n") where line.hasPrefix("\(name): inuse ") {
            return line.split(separator: " ").dropFirst(2).first.flatMap { Int($0) }
        }
        return nil
    }
}
