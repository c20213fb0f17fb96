import LinkTesting
import SystemPackage
import Testing

@testable import Netlink

@Suite("Netlink queries", .tags(.unit))
struct NetlinkQueryTests {
    private static func link(_ index: Int32, _ name: String, kind: String? = nil) -> [UInt8] {
        let header =
            [0, 0, 1, 0] + FakeTransport.withBytes(of: index) + [1, 0, 0, 0, 0, 0, 0, 0]
        let information = kind.map {
            FakeTransport.attribute(18, FakeTransport.attribute(1, Array($0.utf8) + [0]))
        }
        return header + FakeTransport.attribute(3, Array(name.utf8) + [0]) + (information ?? [])
    }

    // MARK: Dumps

    @Test("A dump asks for all objects and returns them in their order", arguments: [true, false])
    func dump(inOneDatagram: Bool) throws {
        let kernel = FakeTransport { _ in
            (1...5).map { .object(type: 16, payload: Self.link($0, "eth\($0)")) } + [.done()]
        }
        kernel.joinsAnswers = inOneDatagram
        let links = try NetlinkSession(transport: kernel).links()
        #expect(links.map(\.name) == ["eth1", "eth2", "eth3", "eth4", "eth5"])
        #expect(kernel.requests.map(\.flags) == [0x301])
    }

    @Test("Interfaces of other kinds are left out where the kernel does not choose")
    func kinds() throws {
        let kernel = FakeTransport { _ in
            [
                .object(type: 16, payload: Self.link(1, "lo")),
                .object(type: 16, payload: Self.link(2, "lcu1", kind: "ifb")),
                .object(type: 16, payload: Self.link(3, "veth0", kind: "veth")), .done(),
            ]
        }
        #expect(try NetlinkSession(transport: kernel).links(kind: "ifb").map(\.name) == ["lcu1"])
    }

    @Test("A dump that was interrupted is asked for again", arguments: [true, false])
    func interruptedDump(atEnd: Bool) throws {
        let interrupted = 0x10
        let kernel = FakeTransport { request in
            let isFirst = request.number < 3
            return [
                .object(
                    type: 16, flags: isFirst && !atEnd ? interrupted : 0,
                    payload: Self.link(isFirst ? 1 : 2, "eth")),
                .done(flags: isFirst && atEnd ? interrupted : 0),
            ]
        }
        let links = try NetlinkSession(transport: kernel).links()
        #expect(links.map(\.index) == [2])
        #expect(kernel.requests.map(\.sequence) == [1, 2, 3, 4])
    }

    @Test("A dump that is interrupted again and again is given up with advice")
    func alwaysInterrupted() {
        let kernel = FakeTransport { _ in [.done(flags: 0x10)] }
        let error = #expect(throws: NetlinkError.self) {
            try NetlinkSession(transport: kernel).links()
        }
        #expect(error?.errno == .interrupted)
        #expect(
            error?.description
                == "cannot list the interfaces: the network keeps changing; try again "
                + "(Interrupted system call)")
        #expect(kernel.requests.count == 10)
    }

    @Test("A dump that the kernel refuses is not repeated")
    func refusedDump() {
        let kernel = FakeTransport { _ in [.refusal(.notPermitted, text: "no")] }
        let error = #expect(throws: NetlinkError.self) {
            try NetlinkSession(transport: kernel).dump(Link.list(), attempt: "list")
        }
        #expect(error == NetlinkError(attempt: "list", errno: .notPermitted, kernelText: "no"))
        #expect(kernel.requests.count == 1)
    }

    @Test("Objects of another dump, such as one given up, are not taken for this one's")
    func strayObjects() throws {
        let kernel = FakeTransport { request in
            [.object(type: 16, payload: Self.link(2, "eth0")), .done()]
        }
        kernel.inbox = [
            FakeTransport.message(type: 16, sequence: 6, payload: Self.link(1, "stale")),
            FakeTransport.message(type: 3, sequence: 6, payload: [0, 0, 0, 0]),
        ]
        let session = NetlinkSession(transport: kernel, firstSequence: 7)
        #expect(try session.links().map(\.name) == ["eth0"])
    }

    // MARK: Single objects

    @Test("Each request for an object gets its own answer, or none where there is no such object")
    func get() throws {
        let kernel = FakeTransport { request in
            let index: Int32 = request.bytes.read(at: 20)
            guard index != 2 else { return [.refusal(.operationNotSupportedByDevice)] }
            return [.object(type: 16, payload: Self.link(index, "eth\(index)")), .success]
        }
        let session = NetlinkSession(transport: kernel)
        let found = try session.get((1...3).map { Link.get(index: $0) })
        #expect(found.map { $0.flatMap(Link.init)?.name } == ["eth1", nil, "eth3"])
    }

    @Test("Many objects are asked for in parts, so that the answers fit into any receive buffer")
    func getMany() throws {
        let kernel = FakeTransport { request in
            let index: Int32 = request.bytes.read(at: 20)
            return [.object(type: 16, payload: Self.link(index, "eth\(index)")), .success]
        }
        let session = NetlinkSession(transport: kernel)
        let found = try session.get((1...1000).map { Link.get(index: $0) })
        #expect(found.compactMap { $0.flatMap(Link.init)?.index } == Array(1...1000))
        // 212,992 bytes is Linux' default, and an answer with its bookkeeping takes about 5,000.
        #expect(kernel.datagrams.allSatisfy { FakeTransport.split($0).count <= 40 })
    }

    @Test("A name that no interface can have is not asked for")
    func impossibleNames() throws {
        let kernel = FakeTransport()
        let session = NetlinkSession(transport: kernel)
        #expect(try session.link(named: "") == nil)
        #expect(try session.link(named: String(repeating: "a", count: 128)) == nil)
        #expect(kernel.requests.isEmpty)
        // An alternative name can be longer than a name, and is asked for in another attribute.
        for (name, attribute) in [("abcdefghijklmno", 3), ("abcdefghijklmnop", 53)] {
            #expect(try session.link(named: name) == nil)
            #expect(kernel.requests.last.map { Int($0.bytes[34]) } == attribute)
        }
    }

    // MARK: Routes

    @Test("Default routes are those with the smallest metric of each family, IPv4 first")
    func defaultRoute() throws {
        func route(family: UInt8, prefix: UInt8 = 0, metric: UInt32, interface: Int32) -> [UInt8] {
            [family, prefix, 0, 0, 254, 3, 0, 1, 0, 0, 0, 0]
                + FakeTransport.attribute(4, FakeTransport.withBytes(of: interface))
                + FakeTransport.attribute(6, FakeTransport.withBytes(of: metric))
        }
        func interfaces(_ routes: [[UInt8]]) throws -> [Int32] {
            let kernel = FakeTransport { _ in
                routes.map { .object(type: 24, payload: $0) } + [.done()]
            }
            return try NetlinkSession(transport: kernel).defaultRouteInterfaces()
        }
        let six = route(family: 10, metric: 1, interface: 6)
        let slow = route(family: 2, metric: 600, interface: 3)
        let fast = route(family: 2, metric: 100, interface: 2)
        let local = route(family: 2, prefix: 24, metric: 0, interface: 9)
        let twin = route(family: 10, metric: 1, interface: 7)
        #expect(try interfaces([six, slow, local, fast]) == [2, 6])
        #expect(try interfaces([six, twin, six, local]) == [6, 7])
        #expect(try interfaces([local]) == [])
        #expect(try interfaces([]) == [])
    }
}
