import LinuxKernel
import Netlink
import SystemPackage

/// Sends the app datagrams in trains.
///
/// For a raw socket the kernel searches a route for every packet. A packet socket takes many
/// datagrams at once, but only with the Ethernet addresses that the kernel's neighbour table has.
final class AppTrains {
    private let sockets: RelaySockets.Trains
    private let session: NetlinkSession?
    private let network: FarNetwork
    private var neighbours: [IPAddress: [UInt8]] = [:]
    private var ownAddress: [UInt8] = []
    /// When to ask for neighbours again.
    private var nextLook = Duration.zero
    private var isRefused = false
    private var identification: UInt16 = 0

    /// For as long an app that changes its Ethernet address hears no trains.
    private static let lookInterval = Duration.seconds(1)
    private static let ethernetAddressLength = 6

    init(_ sockets: RelaySockets.Trains, on network: FarNetwork) {
        self.sockets = sockets
        self.network = network
        session = (try? NetlinkSocket(copying: sockets.netlink.raw)).map {
            NetlinkSession(transport: $0)
        }
    }

    /// Sends datagrams of one length, but for the last, which may be shorter. Returns false if none
    /// was sent: each is to be sent by itself then.
    func send(
        _ train: [Datagram], from source: Endpoint, to app: Endpoint, at now: Duration
    ) -> Bool {
        guard let size = train.first?.payload.count, train.count > 1, !isRefused,
            size <= network.mtu - (app.address.isIPv6 ? 48 : 28),
            let neighbour = neighbour(app.address, at: now)
        else { return false }
        var payload: [UInt8] = []
        payload.reserveCapacity(train.count * size)
        for datagram in train { payload += datagram.payload }
        do {
            try sockets.sender.send(
                payload, inDatagramsOf: UInt16(size), from: source, to: app,
                identification: identification, ethernet: (to: neighbour, from: ownAddress))
            identification &+= UInt16(train.count)
            return true
        } catch {
            isRefused = error == .invalidArgument
            return false
        }
    }

    private func neighbour(_ address: IPAddress, at now: Duration) -> [UInt8]? {
        if now >= nextLook {
            nextLook = now + Self.lookInterval
            look()
        }
        return neighbours[address]
    }

    private func look() {
        neighbours = [:]
        guard let session, let link = try? session.link(named: network.interface),
            link.address.count == Self.ethernetAddressLength,
            let known = try? session.neighbours()
        else { return }
        ownAddress = link.address
        for neighbour in known
        where neighbour.interface == link.index && !neighbour.hasFailed
            && neighbour.linkLayerAddress.count == Self.ethernetAddressLength
        {
            neighbours[neighbour.address] = neighbour.linkLayerAddress
        }
    }
}
