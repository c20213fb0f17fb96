import Learning
import LinkModel

/// What `learn` takes from the other end, and from captures of other tools.
enum Learned {
    static func message(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        if let greeting = Greeting(text) {
            precondition(greeting.program == greeting.program.printable)
        }
        if let message: ClientMessage = MessageLine.read(text), let round = message.round,
            ProbeLimits().problem(round) == nil
        {
            precondition(round.trains.reduce(0) { $0 + $1.count } <= ProbeLimits().packets)
        }
        _ = MessageLine.read(text, as: ResponderMessage.self)
        _ = PortalFact(response: bytes)
        _ = OpeningPacket.segmentSize(bytes)
        let token = "0123456789abcdef"
        if case .answer(let number, let seen) = DiagnosisDatagram(bytes, token: token) {
            let again = DiagnosisDatagram.answer(number, token: token, seen: seen)
            precondition(DiagnosisDatagram(again, token: token) == .answer(number, seen))
        }
        for count in [0, 1, bytes.count / 4, bytes.count / 2] {
            guard let found = ArrivalCode.decode(bytes.span, count: count, below: 1000) else {
                continue
            }
            let again = ArrivalCode.encode(found.numbers, found.times)
            let decoded = ArrivalCode.decode(again.span, count: count, below: 1000)
            precondition(decoded?.numbers == found.numbers && decoded?.times == found.times)
        }
        if let link = try? PassiveLearning.fromCapture(bytes, name: "fuzz.pcap") {
            _ = LearnedProfile(link, name: "fuzz", file: "fuzz.yaml", date: "2026-11-25").files
        }
    }
}
