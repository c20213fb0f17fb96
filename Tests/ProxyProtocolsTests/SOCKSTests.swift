import LinkTesting
import LinuxKernel
import ProxyProtocols
import Testing

@Suite(.tags(.unit))
struct `A SOCKS5 negotiation` {
    private let greeting: [UInt8] = [5, 2, 0, 2]

    /// What comes of bytes that arrive one by one.
    private func steps(_ bytes: [UInt8]) -> (steps: [SOCKSNegotiation.Step], rest: [UInt8]) {
        var negotiation = SOCKSNegotiation()
        var steps: [SOCKSNegotiation.Step] = []
        for byte in bytes {
            negotiation.add([byte])
            let step = negotiation.next()
            if step != .wait { steps.append(step) }
            if case .request = step { break }
        }
        return (steps, negotiation.rest)
    }

    @Test func `reads requests however they are cut`() throws {
        let name: [UInt8] = [5, 1, 0, 3, 2] + "db".utf8 + [0x15, 0x38]
        let named = try request(.connect, "db:5432")
        #expect(steps(greeting + name).steps == [.answer([5, 0]), .request(named)])
        let four: [UInt8] = [5, 1, 0, 1, 192, 0, 2, 1, 0, 80]
        let address = try request(.connect, "192.0.2.1:80")
        #expect(steps(greeting + four).steps.last == .request(address))
        let six: [UInt8] = [5, 3, 0, 4] + [UInt8](repeating: 0, count: 15) + [1, 0, 0]
        guard case .request(let associate) = steps(greeting + six).steps.last else {
            Issue.record("no request")
            return
        }
        #expect(associate.command == .associate)
    }

    private func request(_ command: SOCKSRequest.Command, _ target: String) throws -> SOCKSRequest {
        var negotiation = SOCKSNegotiation()
        negotiation.add([5, 1, 0])
        _ = negotiation.next()
        let bytes: [UInt8]
        switch try TargetAddress(target) {
        case .endpoint(let endpoint):
            bytes = [1] + endpoint.address.bytes + [0, UInt8(endpoint.port)]
        case .name(let name, let port):
            bytes =
                [3, UInt8(name.utf8.count)] + name.utf8
                + [UInt8(port >> 8), UInt8(truncatingIfNeeded: port)]
        case .local: bytes = []
        }
        negotiation.add([5, command.rawValue, 0] + bytes)
        guard case .request(let request) = negotiation.next() else {
            throw NoRequest()
        }
        #expect(request.target.description == target)
        #expect(request.command == command)
        return request
    }

    @Test func `keeps what follows the request`() {
        var negotiation = SOCKSNegotiation()
        negotiation.add(greeting + [5, 1, 0, 1, 192, 0, 2, 1, 0, 80] + "GET".utf8)
        #expect(negotiation.next() == .answer([5, 0]))
        guard case .request = negotiation.next() else {
            Issue.record("no request")
            return
        }
        #expect(negotiation.rest == Array("GET".utf8))
    }

    @Test func `refuses what it does not know`() {
        #expect(steps([4, 1]).steps.first == .refuse([]))
        #expect(steps([5, 1, 2]).steps == [.refuse([5, 0xff])])
        #expect(
            steps(greeting + [5, 9, 0, 1, 192, 0, 2, 1, 0, 80]).steps.last
                == .refuse(SOCKSReply.commandNotSupported.bytes()))
        #expect(
            steps(greeting + [5, 1, 0, 9]).steps.last
                == .refuse(SOCKSReply.addressTypeNotSupported.bytes()))
        #expect(
            steps(greeting + [5, 1, 0, 3, 1, 0x20, 0, 80]).steps.last
                == .refuse(SOCKSReply.generalFailure.bytes()))
    }

    @Test func `writes replies and datagrams that it can read`() {
        let endpoint = Endpoint(IPAddress(ipv6High: 1 << 63, low: 7), port: 53)
        #expect(SOCKSReply.succeeded.bytes(endpoint).prefix(4) == [5, 0, 0, 4])
        let datagram = SOCKSDatagram(SOCKSDatagram.bytes(from: endpoint, [1, 2, 3]))
        #expect(datagram?.target == .endpoint(endpoint))
        #expect(datagram?.payload == [1, 2, 3])
        #expect(SOCKSDatagram([0, 0, 1, 1, 192, 0, 2, 1, 0, 80, 1]) == nil)
        #expect(SOCKSDatagram([0, 0, 0, 1, 192, 0, 2]) == nil)
    }
}

private struct NoRequest: Error {}
