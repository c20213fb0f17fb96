import LinkModel
import LinuxKernel

/// The TCP connections of the app that lead to a server of the middle in the place of the one that it
/// asks. The answers of that server get the address that the app asked.
///
/// They go on when no more are redirected, until they end.
struct RedirectedStreams: Sendable {
    /// A connection of the app.
    struct Stream: Hashable, Sendable {
        var app: Endpoint
        var target: Endpoint
    }

    private let servers: [Endpoint]
    /// The connections by what the server sees as the app's end: two of them may have the same port
    /// of the app.
    private var streams: RecencyTable<Endpoint, Stream>
    private var aliases: [Stream: Endpoint] = [:]

    /// A connection that was silent for longer is over: the servers keep none that long.
    private static let timeout = Duration.seconds(120)
    /// Of the dynamic ports (RFC 6335).
    private static let aliasPorts: ClosedRange<UInt16> = 49_152...65_535

    /// - Parameter servers: where the server listens; at most one of each family.
    init(to servers: [Endpoint], capacity: Int) {
        self.servers = servers
        streams = RecencyTable(capacity: capacity)
    }

    var isEmpty: Bool { streams.count == 0 }

    /// The connection that the server knows by this end.
    subscript(alias: Endpoint) -> Stream? { streams[alias] }

    /// The ends of a packet of a connection that was redirected before; nil for others.
    ///
    /// - Parameter takesNew: whether a new connection with the same ports would be redirected too.
    mutating func redirection(
        of packet: PacketFields, takesNew: Bool, at now: Duration
    ) -> (source: Endpoint, target: Endpoint)? {
        guard packet.transport == IPProtocol.tcp, packet.transportOffset != nil,
            let alias = aliases[Stream(app: packet.source, target: packet.target)],
            let server = server(for: packet)
        else { return nil }
        if packet.opensTCP, !takesNew {
            remove(alias)
            return nil
        }
        streams.touch(alias, at: now)
        return (alias, server)
    }

    /// The ends of a packet that opens a connection; nil for other packets.
    mutating func redirectionOfNew(
        _ packet: PacketFields, at now: Duration
    ) -> (source: Endpoint, target: Endpoint)? {
        guard packet.opensTCP, packet.hasPlainHeaders, let server = server(for: packet),
            let alias = admit(packet, at: now)
        else { return nil }
        return (alias, server)
    }

    /// The ends, as the app knows them, of a packet of the server; nil for others.
    mutating func restoration(
        of packet: PacketFields, at now: Duration
    ) -> (source: Endpoint, target: Endpoint)? {
        guard packet.transport == IPProtocol.tcp, packet.transportOffset != nil,
            servers.contains(packet.source), let stream = streams[packet.target]
        else { return nil }
        streams.touch(packet.target, at: now)
        return (stream.target, stream.app)
    }

    private func server(for packet: PacketFields) -> Endpoint? {
        servers.first { $0.address.isIPv6 == packet.target.address.isIPv6 }
    }

    /// Makes a new connection known, and returns the app's end of it as the server sees it.
    private mutating func admit(_ packet: PacketFields, at now: Duration) -> Endpoint? {
        while let oldest = streams.oldest, streams.isFull || now - oldest.time > Self.timeout {
            remove(oldest.key)
        }
        let stream = Stream(app: packet.source, target: packet.target)
        guard let alias = freeAlias(of: packet.source) else { return nil }
        streams.set(stream, for: alias, at: now)
        aliases[stream] = alias
        return alias
    }

    /// The app's own port, or the next one that is free.
    private func freeAlias(of app: Endpoint) -> Endpoint? {
        if streams[app] == nil { return app }
        let ports = Self.aliasPorts
        let start = Int(app.port) % ports.count
        for offset in 0..<ports.count {
            let port = ports.lowerBound + UInt16((start + offset) % ports.count)
            let alias = Endpoint(app.address, port: port)
            if streams[alias] == nil { return alias }
        }
        return nil
    }

    private mutating func remove(_ alias: Endpoint) {
        if let stream = streams.remove(alias) { aliases[stream] = nil }
    }
}

extension PacketFields {
    /// Whether nothing stands between the IP header and the transport's, as nearly always.
    fileprivate var hasPlainHeaders: Bool {
        !source.address.isIPv6 || transportOffset == 40
    }
}
