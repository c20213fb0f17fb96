import LinkTesting
import SystemPackage
import Testing

@testable import Netlink

@Suite("Hostile bytes", .tags(.unit))
struct HostileBytesTests {
    private static let rounds = 20_000

    @Test("Random bytes are read as whatever they are, without a trap")
    func randomBytes() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<Self.rounds {
            let bytes = random.bytes(count: Int.random(in: 0...200, using: &random))
            Self.read(bytes)
            Self.walk(Attributes(bytes[...]), depth: 4)
        }
    }

    @Test("Damaged messages are read as whatever they are, without a trap")
    func damagedMessages() {
        let whole = [
            Link.addIFB(name: "lcu5", index: 5, group: 7181), Link.addVeth(name: "a", peer: "b"),
            Link.bringUp(index: 5, alias: "linkcond/1 up of=5"), Link.list(kind: "ifb"),
            Route.list(),
        ].map(\.bytes)
        var random = SeededGenerator(seed: 2)
        for _ in 0..<Self.rounds {
            var bytes = whole[Int.random(in: 0..<whole.count, using: &random)]
            // What is sent resembles what is received; the type decides who reads it.
            bytes[4] = Bool.random(using: &random) ? 16 : 24
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            Self.read(Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))))
            Self.read(bytes)
        }
    }

    @Test("A session survives whatever it receives and ends when there is no more")
    func randomAnswers() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<2000 {
            let kernel = FakeTransport { _ in [] }
            let session = NetlinkSession(transport: kernel)
            kernel.inbox = (0..<20).map { _ in
                let type = [2, 3, 16, 24].randomElement(using: &random) ?? 2
                let payload = random.bytes(count: Int.random(in: 0...60, using: &random))
                return FakeTransport.message(
                    type: type, flags: Int(UInt16.random(in: 0...0xffff, using: &random)),
                    sequence: UInt32.random(in: 0...3, using: &random), payload: payload)
            }
            _ = try? session.execute([Link.list(), Link.list()])
            _ = try? session.dump(Link.list(), attempt: "list")
            _ = try? session.get([Link.get(index: 1), Link.get(index: 2)])
        }
    }

    @Test("An error number that has no opposite is an error like any other")
    func smallestErrorNumber() {
        let kernel = FakeTransport { _ in [] }
        kernel.inbox = [
            FakeTransport.message(
                type: 2, flags: 0x100, sequence: 1,
                payload: FakeTransport.withBytes(of: Int32.min) + Array(repeating: 0, count: 16))
        ]
        #expect(throws: NetlinkError.self) {
            try NetlinkSession(transport: kernel).execute(Link.list(), attempt: "list")
        }
    }

    private static func read(_ bytes: [UInt8]) {
        for message in NetlinkMessage.messages(in: bytes) {
            _ = Link(message)
            _ = Route(message)
        }
        guard bytes.count >= NetlinkMessage.headerLength else { return }
        _ = Link(NetlinkMessage(bytes: bytes))
        _ = Route(NetlinkMessage(bytes: bytes))
    }

    private static func walk(_ attributes: Attributes, depth: Int) {
        guard depth > 0 else { return }
        for type in 0..<8 {
            _ = attributes.string(type)
            _ = attributes.value(type, as: UInt64.self)
            if let (_, inner) = attributes.nested(type, behind: UInt64.self) {
                walk(inner, depth: depth - 1)
            }
            if let inner = attributes.nested(type) { walk(inner, depth: depth - 1) }
        }
    }
}

extension SeededGenerator {
    fileprivate mutating func bytes(count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
    }
}
