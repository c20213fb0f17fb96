import LinuxKernel
import ProxyProtocols

/// Readers of what clients and name servers say to a proxy.
enum Proxies {
    static func message(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        addresses(text)
        socks(bytes)
        http(bytes)
        names(bytes, text)
    }

    private static func addresses(_ text: String) {
        if let target = try? TargetAddress(text) {
            let again = try? TargetAddress("\(target)")
            precondition(again == target, "\(target)")
        }
        if let address = try? ListenAddress(text) {
            let again = try? ListenAddress("\(address)")
            precondition(again == address, "\(address)")
        }
        _ = try? ForwardArgument(text)
    }

    private static func socks(_ bytes: [UInt8]) {
        var whole = SOCKSNegotiation()
        whole.add(bytes)
        var steps = 0
        while case .answer = whole.next() {
            steps += 1
            precondition(steps < 3, "a negotiation ends")
        }
        if let datagram = SOCKSDatagram(bytes) {
            precondition(datagram.payload.count < bytes.count, "a header has bytes")
        }
    }

    private static func http(_ bytes: [UInt8]) {
        guard case .head(let head, let length) = HTTPHead.read(bytes) else { return }
        precondition((1...bytes.count).contains(length), "\(length)")
        var bodies: [HTTPBody] = []
        if let request = try? HTTPProxyRequest(head),
            case .pass(let passed, let body) = request.kind
        {
            // Nobody may write a request of their own into one that is passed on.
            guard case .head(let again, let count) = HTTPHead.read(passed.bytes) else {
                preconditionFailure("\(passed)")
            }
            precondition(count == passed.bytes.count && again.fields.count == passed.fields.count)
            bodies.append(body)
        }
        if let response = HTTPResponse(head, to: "GET", clientKeepsAlive: true) {
            bodies.append(response.body)
        }
        for body in bodies {
            var body = body
            let rest = bytes[length...]
            guard let count = body.take(rest) else { continue }
            precondition((0...rest.count).contains(count), "\(count)")
        }
    }

    private static func names(_ bytes: [UInt8], _ text: String) {
        if let message = DNSMessage(bytes) {
            let answer = message.answer(to: bytes, addresses: [IPAddress(ipv4: 1)])
            precondition(DNSMessage(answer)?.isResponse == true, "\(message)")
            let synthesized = message.answer(like: bytes, records: message.records(in: bytes)) {
                IPAddress(ipv6High: 0x64_ff9b << 32, low: $0.low)
            }
            precondition(DNSMessage(synthesized)?.name == message.name, "\(message)")
            precondition(synthesized.count <= 1232, "\(message)")
            _ = message.isForValidator(bytes)
        }
        if let question = DNSMessage.question(identifier: 1, name: text, .a) {
            precondition(question.count <= 512, "\(question.count)")
        }
        if var question = NameQuestion("a.example", identifier: 0) {
            _ = question.take(datagram: bytes)
            question.take(streamed: bytes, to: .a)
            precondition(!question.isOver, "one message does not answer two questions")
            _ = question.outcome
        }
        var stream = bytes
        let messages = DNSMessage.takeMessages(from: &stream)
        let count = messages.reduce(stream.count) { $0 + 2 + $1.count }
        precondition(count == bytes.count, "\(count)")
        let files = ResolverFiles(configuration: text, hosts: text)
        precondition((1...3).contains(files.servers.count), "\(files.servers)")
        _ = files.candidates(for: text)
    }
}
