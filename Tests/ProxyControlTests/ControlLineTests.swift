import LinkTesting
import ProxyControl
import Testing

@Suite(.tags(.unit))
struct `Control lines` {
    @Test func `carry every request unchanged`() throws {
        var change = ListenerChange()
        change.isEnabled = false
        let requests: [ProxyRequest] = [
            .state,
            .createListener(
                ListenerRequest(
                    name: "db", service: .forward(to: "db.example:5432"),
                    address: "127.0.0.1:5433",
                    conditions: LinkChange(profile: "3G", settings: ["down.loss=2%"]),
                    proxyHeader: .v2,
                    behaviours: [
                        StreamBehaviour(
                            name: "cut",
                            .slicer(averageBytes: 64, variationBytes: 32, delayMicroseconds: 10),
                            .upstream, toxicity: 0.5)
                    ])),
            .changeListener("db", change), .deleteListener("db"), .closeConnections("db"),
            .createLink(LinkRequest(name: "shared", seed: 7)),
            .changeLink("shared", LinkChange(settings: [])), .deleteLink("shared"),
            .startScenario(link: "shared", scenario: "subway"), .stopScenario(link: "shared"),
            .subscribe(countersEvery: 250), .unsubscribe, .serves(at: "127.0.0.1:8474"),
        ]
        for (number, request) in requests.enumerated() {
            let call = ControlCall(UInt64(number), request)
            let line = try ControlLine.encode(call)
            #expect(line.last == UInt8(ascii: "\n"))
            #expect(!line.dropLast().contains(UInt8(ascii: "\n")))
            #expect(try ControlLine.decode(ControlCall.self, from: line.dropLast()) == call)
        }
    }

    @Test func `are found in a stream however it is cut`() {
        var collector = LineCollector(limit: 5)
        #expect(collector.add(Array("ab".utf8)) == [])
        #expect(collector.add(Array("c\n\nde".utf8)) == [Array("abc".utf8), []])
        #expect(collector.add(Array("fgh\n".utf8)) == [Array("defgh".utf8)])
        #expect(collector.add(Array("123456".utf8)) == nil)
    }
}

@Suite(.tags(.unit))
struct `A stream behaviour` {
    @Test func `names the field that is wrong`() {
        #expect(StreamBehaviour(name: "a", .timeout(milliseconds: 0), .upstream).problem == nil)
        let negative = StreamBehaviour(name: "a", .limitData(bytes: -1), .upstream)
        #expect(negative.problem?.field == "bytes")
        let unlikely = StreamBehaviour(
            name: "a", .slowClose(milliseconds: 1), .downstream, toxicity: 1.5)
        #expect(unlikely.problem?.field == "toxicity")
        let empty = StreamBehaviour(
            name: "a", .slicer(averageBytes: 0, variationBytes: 0, delayMicroseconds: 0), .upstream)
        #expect(empty.problem?.field == "averageBytes")
    }
}
