import LinuxKernel
import SystemPackage

/// What a responder opens for one client that asks what the network does.
///
/// Nothing here needs a privilege: a port that cannot be had is left out.
final class DiagnosisDoors {
    /// A UDP socket at one address.
    final class Door {
        let place: Endpoint
        let socket: DatagramSocket

        init(at place: Endpoint) throws(Errno) {
            socket = try DatagramSocket(at: place)
            self.place = Endpoint(place.address, port: try socket.port())
        }
    }

    private final class StreamDoor {
        let listener: StreamListener
        let port: UInt16

        init(at place: Endpoint) throws(Errno) {
            listener = try StreamListener(
                at: place,
                StreamShape(
                    unsentLimit: 1 << 12, segmentSize: 0, receiveBuffer: 1 << 12,
                    growsWithReading: false))
            port = try listener.port()
        }
    }

    let doors: [Door]
    private let streamDoors: [StreamDoor]
    private var room = DatagramRoom()

    /// The port of QUIC and HTTPS.
    static let securePort: UInt16 = 443

    var streamPorts: [UInt16] { streamDoors.map(\.port) }
    var descriptors: [FileDescriptor] {
        doors.map { $0.socket.descriptor } + streamDoors.map { $0.listener.descriptor }
    }

    /// Opens them: the address and port of the connection, other ports of the address, and the
    /// same port of other addresses.
    init(at place: Endpoint, otherAddresses: [IPAddress]) throws(Errno) {
        var doors = [try Door(at: place)]
        let next = place.port < .max ? place.port + 1 : place.port - 1
        // Any other port does if the next one is taken.
        for port in [next, 0] where doors.count < 2 {
            if let door = try? Door(at: Endpoint(place.address, port: port)) { doors.append(door) }
        }
        if let door = try? Door(at: Endpoint(place.address, port: Self.securePort)) {
            doors.append(door)
        }
        for address in otherAddresses where doors.count < DiagnosisProtocol.mostDoors {
            if address.isIPv6 == place.address.isIPv6, address != place.address,
                let door = try? Door(at: Endpoint(address, port: place.port))
            {
                doors.append(door)
            }
        }
        self.doors = doors
        var streams: [StreamDoor] = []
        for port in [next, 0] where streams.isEmpty {
            if let door = try? StreamDoor(at: Endpoint(place.address, port: port)) {
                streams.append(door)
            }
        }
        if let door = try? StreamDoor(at: Endpoint(place.address, port: Self.securePort)) {
            streams.append(door)
        }
        streamDoors = streams
    }

    /// Takes what has arrived at a door.
    func receive(at door: Door) -> [Datagram] { (try? door.socket.receive(into: &room)) ?? [] }

    /// Accepts connections, and closes them: that they come about is all there is to them.
    func dismissStreams() {
        for door in streamDoors {
            for _ in 0..<16 {
                guard (try? door.listener.accept(unsentLimit: 1 << 12)) != nil else { break }
            }
        }
    }
}

/// Hears whether a client says farewell while it measures, behind a NAT that has forgotten its TCP
/// connection.
final class FarewellEars {
    private let doors: [DiagnosisDoors.Door]
    private let token: String
    private let peer: IPAddress
    private var room = DatagramRoom()

    init(_ doors: [DiagnosisDoors.Door], token: String, peer: IPAddress) {
        (self.doors, self.token, self.peer) = (doors, token, peer)
    }

    /// Whether it has, since the last time.
    func hear() -> Bool {
        doors.contains { door in
            let datagrams = (try? door.socket.receive(into: &room)) ?? []
            return datagrams.contains {
                $0.sender.address == peer
                    && DiagnosisDatagram($0.payload, token: token) == .farewell
            }
        }
    }
}
