import DataPlane
import LinkModel
import LinuxKernel
import NetworkPath

@testable import KernelPlane
@testable import EnginePlane
@testable import Middleboxes
@testable import Recording
@testable import Netlink
@testable import PacketLoop
@testable import TrafficControl
@testable import Uplink

/// Readers of what comes from the kernel and from the network: netlink, packets, aliases.
enum Kernel {
    static func netlink(_ bytes: [UInt8]) {
        for message in NetlinkMessage.messages(in: bytes) { read(message) }
        guard bytes.count >= NetlinkMessage.headerLength else { return }
        read(NetlinkMessage(bytes: bytes))
    }

    private static func read(_ message: NetlinkMessage) {
        if let link = Link(message) {
            _ = NetworkMark(alias: link.aliasBytes)
            _ = OwnershipMark(alias: String(decoding: link.aliasBytes, as: UTF8.self))
        }
        _ = Route(message)
        _ = InterfaceAddress(message)
        _ = MultipathEndpoint(message)
        _ = MultipathPath(message)
        _ = FilterState(message)
        let qdisc = QdiscState(message)
        let found = TrafficClass(message)
        guard qdisc != nil || found != nil else { return }
        let ifb = Interface(index: 7, name: "ifb")
        let direction = FoundDirection(
            mark: OwnershipMark(
                direction: .up, target: 2, since: 0, madeClsact: true, distribution: nil,
                profile: "LTE"),
            ifb: ifb, states: [qdisc].compactMap(\.self), classes: [found].compactMap(\.self),
            target: ConditionedLink(mtu: 1500, headerLength: 14))
        _ = direction.conditions(headerLength: 14)
        _ = direction.counters(headerLength: 14)
        _ = direction.dnsDelay
    }

    /// The first bytes are what the kernel puts in front of a frame.
    static func packet(_ bytes: [UInt8]) {
        var bytes = bytes
        guard bytes.count >= VirtualHeader.count + 14 else { return }
        let virtual = VirtualHeader(bytes.span)
        let frame = Array(bytes[VirtualHeader.count...])
        let headers = FrameHeaders(frame.span)
        precondition(headers.network + headers.length <= frame.count, "a packet is in its frame")
        _ = FrameHeaders(packet: frame.span)
        _ = PacketSummary(frame.span)
        var traffic = LoopbackTraffic()
        _ = traffic.direction(headers, frame.span)
        if let superFrame = SuperFrame(virtual, headers, frame.span) {
            precondition(superFrame.count <= SuperFrame.maximumCount)
            for run in [0..<1, superFrame.count - 1..<superFrame.count, 0..<superFrame.count] {
                _ = superFrame.payload(of: run)
                var head = Array(bytes[..<(VirtualHeader.count + superFrame.headerLength)])
                var span = head.mutableSpan
                superFrame.makeHeaders(of: run, in: &span)
            }
        }
        if let segment = JoinableSegment(virtual, frame.span, network: headers.network) {
            _ = segment.isIntact(virtual, frame.span)
            _ = segment.isFollowed(frame.span, by: segment, frame.span, distance: 0, bytes: 0)
            var head = Array(bytes[..<(VirtualHeader.count + segment.payload.lowerBound)])
            var span = head.mutableSpan
            segment.makeSuperFrame(length: segment.mostData, isPushed: true, in: &span)
        }
        var span = bytes.mutableSpan
        if let transport = headers.transport {
            SegmentSizeOption.limit(
                to: 1000, at: VirtualHeader.count + transport,
                end: VirtualHeader.count + headers.network + headers.length, isUnfinished: false,
                in: &span)
        }
        finishChecksum(in: &span, end: VirtualHeader.count + headers.network + headers.length)
        let start = min(bytes.count, VirtualHeader.count + headers.network)
        middle(Array(bytes[start...]))
    }

    /// A packet from its IP header on meets all that can stand in the middle of a link.
    private static func middle(_ packet: [UInt8]) {
        guard let fields = PacketFields(packet.span) else { return }
        for (answer, direction) in [(Firewall.Answer.reset, Direction.up), (.icmp, .down)] {
            let place = MiddleboxPlace(
                inside: fields.source.address, outside: fields.target.address,
                portal: [fields.target.address])
            var stage = MiddleboxStage(
                Middlebox(
                    firewall: Firewall(
                        block: [TrafficKind(.quic)], answer: answer, tcpTimeout: .seconds(1)),
                    nat: [AddressTranslation(kind: .fullCone, hairpin: true)], mss: 1000,
                    dns: Resolver(truncate: true), captivePortal: CaptivePortal()),
                at: place)
            for direction in [direction, direction.opposite] {
                switch stage.verdict(on: fields, direction, at: .zero) {
                case .passes, .askedAgain, .replaced: break
                case .changed(let change), .turnedBack(let change):
                    _ = change.applied(to: packet)
                case .answered(let answer): _ = answer.bytes(to: packet, fields)
                case .dropped(_, let answer): _ = answer?.bytes(to: packet, fields)
                }
            }
        }
        family(packet, fields)
    }

    /// A packet from its IP header on gets another family.
    private static func family(_ packet: [UInt8], _ fields: PacketFields) {
        let ends = [7, 9].map { (number: UInt16) in
            Endpoint(
                fields.source.address.isIPv6
                    ? IPAddress(ipv4: 0xc612_0005)
                    : NAT64.address(for: IPAddress(ipv4: 0xc633_6400 | UInt32(number))),
                port: number)
        }
        let change = HeaderChange(
            source: ends[0], target: ends[1], quotedSource: ends[1], quotedTarget: ends[0],
            segments: fields.transportOffset.map { .init(bytes: 1000, header: $0) },
            changesFamily: true)
        if let changed = change.applied(to: packet) {
            guard let header = FormerHeader(changed.span, at: 0) else {
                preconditionFailure("what has another family has a header of it")
            }
            precondition(header.isIPv6 != fields.source.address.isIPv6)
            let back = HeaderChange(
                source: fields.source, target: fields.target, quotedSource: fields.source,
                quotedTarget: fields.target, changesFamily: true)
            _ = back.applied(to: changed)
        }
        var unfinished = packet
        var bytes = unfinished.mutableSpan
        _ = change.newHeader(in: &bytes, at: 0, isUnfinished: true, isSuper: true)
        for direction in [Direction.up, .down] {
            var stage = MiddleboxStage(
                Middlebox(family: .nat64),
                at: MiddleboxPlace(inside: ends[0].address, outside: fields.target.address))
            guard case .askedAgain(let question) = stage.verdict(on: fields, direction, at: .zero)
            else { continue }
            guard let asked = PacketFields(question.span), asked.questionName != nil else {
                preconditionFailure("a name server is asked a question")
            }
        }
    }

    static func request(_ bytes: [UInt8]) {
        for isUnfinished in [false, true] {
            guard let request = RequestPacket(bytes, isUnfinished: isUnfinished) else { continue }
            _ = IPPacket.fragments(of: request.bytes, mtu: 576, identification: 1)
            if request.kind != .echo { _ = AnswerPacket.reset(answering: request) }
        }
        _ = TCPOptions.multipath(in: bytes[...])
    }

    static func mark(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        if let mark = NetworkMark(alias: bytes) { _ = "\(mark)" }
        if let mark = OwnershipMark(alias: text) {
            precondition(mark.alias.utf8.count <= 254 || mark.profile.isEmpty)
            _ = mark.selector
        }
        if let mark = RedirectMark(alias: text) { _ = mark.alias }
        if let selector = TrafficSelector(text: text) { _ = selector.commandLine }
        _ = try? IPNetwork(text, option: "--to")
        _ = try? PortRange(text, option: "--port")
        _ = try? SSHSession(text)
    }
}
