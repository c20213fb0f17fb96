import LinkModel
import LinuxKernel

/// An event in the life of a captive portal.
public struct PortalEvent: Sendable, Hashable {
    /// What happens.
    public enum Kind: Sendable, Hashable {
        /// The app sends something that it holds back, for the first time.
        case met
        /// Somebody has clicked on its page.
        case clicked
        /// The time is over that the profile gives it.
        case timedOut
    }

    /// When it happens, by the clock of the stage.
    public var time: Duration
    /// What happens.
    public var kind: Kind
}

/// A captive portal in virtual time.
///
/// While it is closed, TCP to port 80 goes to the portal's own server, whoever the app asks, and
/// that server's answers get the address that the app asked. Those connections go on when the portal
/// has opened, until they end.
struct PortalStage: Sendable {
    /// What it does with a packet.
    enum Decision: Sendable, Hashable {
        case passes
        /// It goes to the portal's server, or comes from there.
        case redirected(source: Endpoint, target: Endpoint)
        case answered(ResolverAnswer)
        /// It does not pass; of TCP, the connection ends.
        case stopped
    }

    private let addresses: [IPAddress]
    private let hasNameServer: Bool
    private(set) var rules: CaptivePortal?
    /// When the app has met it.
    private var meeting: Duration?
    private var hasOpened = false
    private var newEvents: [PortalEvent] = []
    private var streams: RedirectedStreams

    private static let page: UInt16 = 80

    /// - Parameters:
    ///   - addresses: those of its server; of a family without one, nothing passes.
    ///   - hasNameServer: whether the network has a name server; otherwise the portal answers.
    init(at addresses: [IPAddress], hasNameServer: Bool, capacity: Int) {
        self.addresses = addresses
        self.hasNameServer = hasNameServer
        streams = RedirectedStreams(
            to: addresses.map { Endpoint($0, port: MiddleboxPlace.portalPort) }, capacity: capacity)
    }

    /// Whether it holds the app back.
    var isClosed: Bool { rules != nil && !hasOpened }

    /// Whether it answers in the place of a name server.
    var answersNames: Bool { isClosed && !hasNameServer }

    /// What it answers to all questions for names.
    var nameAnswer: ResolverAnswer { .misleading(addresses) }

    /// Whether it lets everything pass unchanged. One that has opened still shows its page.
    var isIdle: Bool { rules == nil && streams.isEmpty }

    /// Changes the rules; nil takes the portal away. One that was not there is closed.
    mutating func change(to rules: CaptivePortal?) {
        if self.rules == nil || rules == nil { (hasOpened, meeting) = (false, nil) }
        self.rules = rules
    }

    /// Opens it, since somebody has clicked.
    mutating func click(at now: Duration) {
        advance(to: now)
        guard isClosed else { return }
        open(.clicked, at: now)
    }

    /// Opens it if its time is over.
    mutating func advance(to now: Duration) {
        guard isClosed, let until = rules?.until, let meeting, meeting + until <= now else {
            return
        }
        open(.timedOut, at: meeting + until)
    }

    private mutating func open(_ kind: PortalEvent.Kind, at time: Duration) {
        hasOpened = true
        note(PortalEvent(time: time, kind: kind))
    }

    /// The events that were not taken yet.
    mutating func takeEvents() -> [PortalEvent] {
        defer { newEvents = [] }
        return newEvents
    }

    private mutating func note(_ event: PortalEvent) {
        // Nobody may ever ask.
        guard newEvents.count < 1000 else { return }
        newEvents.append(event)
    }

    // MARK: Packets

    /// Decides on a packet of the app.
    mutating func decideUp(_ packet: PacketFields, at now: Duration) -> Decision {
        advance(to: now)
        if let (source, target) = streams.redirection(of: packet, takesNew: isClosed, at: now) {
            return .redirected(source: source, target: target)
        }
        let isOwn = addresses.contains(packet.target.address)
        // Those of the portal's own address as well, so that none of them has the ports of another.
        if isOwn, let redirection = redirectionOfNew(packet, at: now) { return redirection }
        guard isClosed, !packet.isLocal(packet.target.address) else { return .passes }
        if isOwn || packet.isConfiguration(at: packet.target.port) || packet.isError {
            return .passes
        }
        if packet.isDNS(at: packet.target.port) {
            meet(at: now)
            return packet.questionName != nil && answersNames
                ? .answered(nameAnswer) : .passes
        }
        meet(at: now)
        return redirectionOfNew(packet, at: now) ?? .stopped
    }

    /// Decides on a packet toward the app.
    mutating func decideDown(_ packet: PacketFields, at now: Duration) -> Decision {
        advance(to: now)
        if let (source, target) = streams.restoration(of: packet, at: now) {
            return .redirected(source: source, target: target)
        }
        guard isClosed, !packet.isLocal(packet.source.address),
            packet.target.address.isOfOneHost, !addresses.contains(packet.source.address),
            !packet.isConfiguration(at: packet.source.port), !packet.isError,
            !packet.isDNS(at: packet.source.port)
        else { return .passes }
        return .stopped
    }

    private mutating func meet(at now: Duration) {
        guard meeting == nil else { return }
        meeting = now
        note(PortalEvent(time: now, kind: .met))
    }

    /// What happens to a packet that opens a connection to the port of web pages.
    private mutating func redirectionOfNew(
        _ packet: PacketFields, at now: Duration
    ) -> Decision? {
        guard packet.target.port == Self.page,
            let (source, target) = streams.redirectionOfNew(packet, at: now)
        else { return nil }
        return .redirected(source: source, target: target)
    }
}

extension PacketFields {
    /// Whether an address is not behind the portal: of the link alone, or of several hosts.
    fileprivate func isLocal(_ address: IPAddress) -> Bool {
        guard address.isOfOneHost else { return true }
        return address.isIPv6 ? address.high >> 54 == 0xfe80 >> 6 : address.low >> 16 == 0xa9fe
    }

    private var isDatagram: Bool { transport == IPProtocol.udp && transportOffset != nil }

    /// Whether a packet configures addresses: DHCP, whose server has this port.
    fileprivate func isConfiguration(at port: UInt16) -> Bool {
        isDatagram && (port == 67 || port == 547)
    }

    fileprivate func isDNS(at port: UInt16) -> Bool {
        transportOffset != nil && port == DNSMessage.port
            && [IPProtocol.udp, IPProtocol.tcp].contains(transport)
    }
}
