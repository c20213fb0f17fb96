import LinuxKernel

/// What version 2 of the protocol adds: a client finds out what the network between both ends does
/// to single datagrams and connections, before it measures as in version 1.
package enum DiagnosisProtocol {
    /// The version of the protocol that has it.
    package static let version = 2
    /// How many datagrams a client may number.
    package static let mostDatagrams = 256
    /// How many addresses and ports a responder opens.
    package static let mostDoors = 8

    /// A UDP address of the responder, as the responder knows it.
    package struct Door: Sendable, Hashable, Codable {
        package var address: String
        package var port: UInt16

        /// Whether it has the address of the first door.
        fileprivate func isFirst(_ first: Door) -> Bool { port > 0 && address == first.address }

        /// Whether it has another one, but the port.
        fileprivate func isOtherHost(_ first: Door) -> Bool {
            guard port == first.port, let address = IPAddress(address), !address.isLoopback else {
                return false
            }
            // No group, and not everybody.
            return address.isIPv6
                ? address.high >> 56 != 0xff && (address.high, address.low) != (0, 0)
                : (1..<0xe0).contains(address.low >> 24)
        }
    }

    /// What a responder has opened for a client.
    package struct Invitation: Sendable, Hashable, Codable {
        /// What the client's datagrams have to say.
        package var token: String
        /// The first one has the address and the port of the connection.
        package var doors: [Door]
        /// Ports at which TCP connections are accepted, and closed at once.
        package var streamPorts: [UInt16]
        /// The segment size in the client's SYN as it arrived; nil if the kernel does not keep it.
        package var clientSegment: Int?
        /// The one that the responder has announced.
        package var ownSegment: Int?

        /// Whether it can be believed.
        ///
        /// A responder must not have clients send to whatever it likes: other addresses are those
        /// of hosts, and have the port of the first one.
        package var isSound: Bool {
            (1...DiagnosisProtocol.mostDoors).contains(doors.count) && streamPorts.count <= 4
                && doors.allSatisfy { $0.isFirst(doors[0]) || $0.isOtherHost(doors[0]) }
                && (16...64).contains(token.utf8.count)
                && token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
        }
    }

    /// A datagram that arrived.
    package struct Arrival: Sendable, Hashable, Codable {
        package var datagram: Int
        /// Whether it came from the address of the connection. Others get no answer.
        package var isExpected: Bool
    }
}
