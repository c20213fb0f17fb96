import LinkModel
import LinuxKernel

/// A socket as `/proc/net` lists it.
struct ListedSocket: Hashable {
    /// The tables of the calling thread's network namespace.
    enum Table: String {
        case tcp, udp
    }

    /// The states of TCP, by the kernel's numbers.
    enum State: UInt8 {
        case established = 1
        case synSent, synReceived, finWait1, finWait2, timeWait, closed, closeWait, lastAck
        case listening, closing, newSynReceived
    }

    /// This end.
    let local: Endpoint
    /// The other end; zeros for none.
    let remote: Endpoint
    /// Nil for one that only newer kernels have.
    let state: State?
    /// Bytes that were sent, or wait to be, and that the other end has not acknowledged.
    let unacknowledged: UInt64
    /// Bytes that have come and nobody has read; of a listener, connections that nobody has taken.
    let unread: UInt64

    /// All sockets of the table, of IPv4 and IPv6.
    ///
    /// Looking does not disturb a server as connecting would.
    static func all(_ table: Table) -> [ListedSocket] {
        ["", "6"].flatMap { suffix -> [ListedSocket] in
            // To list those of one namespace the kernel goes through those of all, and through all
            // the places where one could be.
            let numbers = HostNames.text(of: "/proc/thread-self/net/sockstat\(suffix)") ?? ""
            let name = "\(table.rawValue)\(suffix)"
            guard numbers.count(of: name.uppercased()) != 0 else { return [] }
            return parse(HostNames.text(of: "/proc/thread-self/net/\(name)") ?? "")
        }
    }

    /// Reads a table as `/proc/net/tcp` shows it.
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

    /// Whether somebody waits in the calling thread's network namespace for clients at this port.
    static func isServed(_ port: ServerPort) -> Bool {
        all(port.isUDP ? .udp : .tcp).contains { socket in
            // A socket of UDP that has another end is a client's.
            socket.local.port == port.number
                && (port.isUDP ? socket.remote.port == 0 : socket.state == .listening)
        }
    }
}

extension Endpoint {
    /// Reads `0100007F:1F90`: the words of the address as this machine has them.
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
        // Sockets of IPv6 may speak IPv4: ::ffff:192.0.2.1 (RFC 4291, section 2.5.5.2).
        let isMapped = bytes.count == 16 && bytes.prefix(12) == Self.mappedPrefix
        guard let address = IPAddress(bytes: isMapped ? bytes.suffix(4) : bytes[...]) else {
            return nil
        }
        self.init(address, port: port)
    }

    private static let mappedPrefix: ArraySlice<UInt8> = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
}

extension String {
    /// How many sockets `/proc/net/sockstat` says are in use; nil if it does not say.
    fileprivate func count(of name: String) -> Int? {
        for line in split(separator: "\n") where line.hasPrefix("\(name): inuse ") {
            return line.split(separator: " ").dropFirst(2).first.flatMap { Int($0) }
        }
        return nil
    }
}
