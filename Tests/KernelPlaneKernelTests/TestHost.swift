import DataPlane
import LinkModel
import LinkTesting
import LinkUnits
import Netlink
import SystemPackage
import Testing
import TrafficControl

@testable import KernelPlane

/// A namespace with pairs of veths, as a host with network cards: eth0 and far0, eth1 and far1, ...
struct TestHost {
    let transport: FaultyTransport
    let session: NetlinkSession
    let kernel: KernelPlane

    init(interfaces: Int = 1) throws {
        transport = FaultyTransport(try NetlinkSocket())
        session = NetlinkSession(transport: transport)
        kernel = KernelPlane(session: session, environment: [:])
        var failures = try session.execute(
            (0..<interfaces).map { Link.addVeth(name: "eth\($0)", peer: "far\($0)") })
        // An administrator's own queue, which must not be touched.
        let links = try session.links()
        // An interface that speaks by itself would disturb the counters; without IPv6 none does.
        _ = try session.execute(links.map { Link.disableAutoconfiguration(index: $0.index) })
        failures += try session.execute(
            links.map { Link.bringUp(index: $0.index, alias: "") }
                + links.filter { $0.name.hasPrefix("eth") }.map {
                    Qdisc(
                        interface: Interface(index: $0.index, name: $0.name),
                        handle: QdiscHandle(major: 0x42), parent: .root, kind: .other("pfifo")
                    ).add()
                })
        #expect(failures == [])
    }

    /// Runs `body` with a host in a namespace of its own.
    static func run(
        interfaces: Int = 1, _ body: @Sendable (TestHost) throws -> Void
    ) async throws {
        try await withNewNamespace { try body(TestHost(interfaces: interfaces)) }
    }

    /// The same, and expects that the body leaves the host as it was.
    static func runUnchanged(
        interfaces: Int = 1, _ body: @Sendable (TestHost) throws -> Void
    ) async throws {
        try await run(interfaces: interfaces) { host in
            let before = try host.picture()
            try body(host)
            try host.expectUnchanged(since: before)
        }
    }

    func picture() throws -> KernelPicture { try KernelPicture(session) }

    func expectUnchanged(
        since before: KernelPicture, _ comment: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let difference = before.difference(to: try picture())
        #expect(difference == "", "\(comment)", sourceLocation: sourceLocation)
    }

    func interface(_ name: String = "eth0") throws -> Interface {
        let link = try #require(try session.link(named: name))
        return Interface(index: link.index, name: name)
    }

    // MARK: Requests

    static func request(
        _ conditions: LinkConditions, _ profile: String = "profile",
        interfaces: [String] = ["eth0"], directions: [Direction] = Direction.allCases,
        replaces: Bool = false, isForced: Bool = false
    ) -> ApplyRequest {
        ApplyRequest(
            conditions: conditions, profile: profile, interfaces: interfaces,
            directions: directions, replaces: replaces, isForced: isForced, now: 1_700_000_000)
    }

    static func request(
        _ sample: String, interfaces: [String] = ["eth0"],
        directions: [Direction] = Direction.allCases, replaces: Bool = false,
        isForced: Bool = false
    ) -> ApplyRequest {
        request(
            SampleConditions[sample], sample, interfaces: interfaces, directions: directions,
            replaces: replaces, isForced: isForced)
    }

    /// Expects that `status` tells of eth0 what was asked for.
    func expectStatus(
        of request: ApplyRequest, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let status = try kernel.status()
        #expect(
            status.map(\.interface) == request.interfaces.sorted(),
            sourceLocation: sourceLocation)
        let expected = request.conditions.asReported
        for found in status {
            let name = Comment(rawValue: request.profile)
            #expect(found.profile == request.profile, name, sourceLocation: sourceLocation)
            #expect(found.since == request.now, name, sourceLocation: sourceLocation)
            #expect(found.problem == nil, name, sourceLocation: sourceLocation)
            #expect(
                Set(found.directions.keys) == Set(request.directions), name,
                sourceLocation: sourceLocation)
            for (direction, way) in found.directions {
                #expect(
                    way.conditions == direction.conditions(of: expected), name,
                    sourceLocation: sourceLocation)
            }
            #expect(
                found.dnsDelay == (request.directions.contains(.up) ? expected.dnsDelay : nil),
                name, sourceLocation: sourceLocation)
        }
    }
}

/// A socket to the real kernel that can turn one message of the next batch of changes into one
/// that the kernel refuses, or all from there on.
final class FaultyTransport: NetlinkTransport {
    private let socket: NetlinkSocket
    private var refused: Int?
    private var isLasting = false
    private var losesAnswer = false
    private var isAnswerLost = false
    private var intrusion: (() -> Void)?

    /// What the kernel says of the message that takes the refused one's place.
    static let errno = Errno.invalidArgument

    init(_ socket: NetlinkSocket) {
        self.socket = socket
    }

    /// Lets the kernel refuse message `number` of the next batch; with `isLasting` also every
    /// later batch as a whole.
    func refuse(_ number: Int, isLasting: Bool = false) {
        refused = number
        self.isLasting = isLasting
    }

    /// Refuses nothing any more.
    func heal() {
        refused = nil
        isLasting = false
    }

    /// Lets the answer to the next batch of changes get lost, as when a buffer runs over.
    func loseAnswer() { losesAnswer = true }

    /// Lets another program do something just before the next batch reaches the kernel.
    func intrude(_ intrusion: @escaping () -> Void) {
        self.intrusion = intrusion
    }

    func send(_ bytes: [UInt8]) throws(NetlinkError) {
        let messages = FakeTransport.split(bytes)
        if losesAnswer, messages.contains(where: Self.isChange) {
            (losesAnswer, isAnswerLost) = (false, true)
        }
        if let intrusion, messages.contains(where: Self.isChange) {
            self.intrusion = nil
            intrusion()
        }
        guard let refused, messages.contains(where: Self.isChange) else {
            try socket.send(bytes)
            return
        }
        var sent: [UInt8] = []
        for (index, message) in messages.enumerated() {
            let isRefused = index == refused || (isLasting && index > refused)
            sent += isRefused ? Self.refusable(like: message, isLasting: isLasting) : message
        }
        // The next batch is about undoing this one.
        self.refused = isLasting ? 0 : nil
        try socket.send(sent)
    }

    func receive() throws(NetlinkError) -> [UInt8] {
        guard !isAnswerLost else {
            isAnswerLost = false
            throw NetlinkError(attempt: "read the kernel's answer", errno: .noMemory)
        }
        return try socket.receive()
    }

    /// Whether a message makes, changes or deletes something, rather than asks.
    private static func isChange(_ message: [UInt8]) -> Bool {
        message.read(at: 4, as: UInt16.self) & 3 != 2
    }

    /// A message that the kernel refuses: with `EINVAL` and an explanation, since it asks for a
    /// namespace's number (`RTM_NEWNSID`) and names no namespace; or with `EOPNOTSUPP`, since
    /// there is no such type, where `EINVAL` would mean that there is nothing to undo.
    private static func refusable(like message: [UInt8], isLasting: Bool) -> [UInt8] {
        FakeTransport.message(
            type: isLasting ? 4000 : 88, flags: Int(message.read(at: 6, as: UInt16.self) & 0xff),
            sequence: message.read(at: 8), payload: [0, 0, 0, 0])
    }
}

/// As the command line has it, but with whatever session the kernel has.
extension KernelPlane {
    @discardableResult
    func apply(_ request: ApplyRequest) throws -> AppliedPlans {
        try HostState.withLock(environment) { state in
            try carryOut(request, on: HostLinks().links(of: request), state)
        }
    }

    func plan(_ request: ApplyRequest) throws -> [InterfacePlan] {
        try plan(request, on: HostLinks().links(of: request))
    }

    /// Returns the names of the interfaces that were conditioned.
    @discardableResult
    func clear(_ names: [String]?, conditions: String? = nil) throws -> [String] {
        try HostState.withLock(environment) { state in
            let indices = try names.map { Set(try HostLinks().links(named: $0).map(\.index)) }
            return try clear(indices, name: conditions, state).interfaces
        }
    }
}
