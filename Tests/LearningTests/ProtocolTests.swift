import LinkModel
import LinkTesting
import Testing

@testable import Learning

@Suite("What responders and clients say", .tags(.unit))
struct ProtocolTests {
    @Test
    func `a greeting comes back`() {
        let greeting = Greeting(
            .hello, program: "0.9.0 (commit 1234567, Swift 6.3)", version: Greeting.measuring)
        #expect(greeting.line == "linkcond-learn/1 0.9.0 hello")
        #expect(Greeting(greeting.line) == greeting)
    }

    @Test(arguments: [
        "", "SSH-2.0-OpenSSH_9.9", "HTTP/1.0 400 Bad request syntax", "linkcond-learn/x 1 hello",
        "linkcond-learn/0 1 hello", "linkcond-learn/1  hello", "linkcond-learn/1 1 hello more",
    ])
    func `other programs are not taken for responders`(line: String) {
        #expect(Greeting(line) == nil)
    }

    @Test
    func `another version is understood as one`() {
        #expect(Greeting("linkcond-learn/7 2.0.0 version")?.version == 7)
    }

    private var train: ProbeTrain {
        ProbeTrain(
            direction: .down, first: 0, count: 100, packetBytes: 1500,
            intervalNanoseconds: 1_000_000, startNanoseconds: 0, catchesUp: false)
    }

    @Test
    func `a responder does what is within its limits, and no more`() {
        let limits = ProbeLimits()
        let round = ProbeRound(trains: [train], quietNanoseconds: 1_000_000)
        #expect(limits.problem(round) == nil)
        let changes: [(inout ProbeTrain) -> Void] = [
            { $0.count = 0 }, { $0.count = -1 }, { $0.count = .max }, { $0.count = 3_000_000 },
            { $0.packetBytes = 10 }, { $0.packetBytes = 70_000 }, { $0.intervalNanoseconds = 0 },
            { $0.intervalNanoseconds = .min }, { $0.intervalNanoseconds = .max },
            { $0.intervalNanoseconds = 5000 }, { $0.startNanoseconds = -1 },
            { $0.startNanoseconds = .max }, { $0.first = .max }, { $0.first = 1_999_999 },
        ]
        for (index, change) in changes.enumerated() {
            var train = train
            change(&train)
            let round = ProbeRound(trains: [train], quietNanoseconds: 0)
            #expect(limits.problem(round) != nil, "change \(index)")
        }
        #expect(limits.problem(.init(trains: [], quietNanoseconds: 0)) != nil)
        #expect(limits.problem(.init(trains: [train, train], quietNanoseconds: 0)) != nil)
        #expect(limits.problem(.init(trains: [train], quietNanoseconds: -1)) != nil)
        #expect(limits.problem(.init(trains: [train], quietNanoseconds: .max)) != nil)
    }
}
