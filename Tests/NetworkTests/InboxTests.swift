import Foundation
import LinkTesting
import Testing

@testable import Network

/// What a connection has received, by value.
@Suite("Received content", .tags(.unit)) struct InboxTests {
    private func request(_ minimum: Int, _ maximum: Int) -> Inbox.Request {
        Inbox.Request(minimum: minimum, maximum: maximum) { _, _, _, _ in }
    }

    private var message: Inbox.Request {
        Inbox.Request(minimum: 1, maximum: .max, isMessage: true) { _, _, _, _ in }
    }

    private func texts(_ deliveries: [Inbox.Delivery]) -> [String] {
        deliveries.map { delivery in
            let text = delivery.content.map { String(decoding: $0, as: UTF8.self) } ?? "-"
            let error = delivery.error.map { ", \($0)" } ?? ""
            return text + (delivery.isComplete ? ", complete" : "") + error
        }
    }

    @Test func `a stream delivers between the minimum and the maximum`() {
        var inbox = Inbox(isDatagram: false)
        inbox.ask(request(3, 4))
        #expect(inbox.wantsMore && inbox.takeDeliveries().isEmpty)
        inbox.put(Data("ab".utf8))
        #expect(inbox.takeDeliveries().isEmpty)
        inbox.put(Data("cdef".utf8))
        #expect(texts(inbox.takeDeliveries()) == ["abcd"])
        #expect(!inbox.wantsMore)
        inbox.ask(request(1, 100))
        #expect(texts(inbox.takeDeliveries()) == ["ef"])
    }

    @Test func `requests are answered in their order`() {
        var inbox = Inbox(isDatagram: false)
        inbox.ask(request(2, 2))
        inbox.ask(request(1, 1))
        inbox.put(Data("abc".utf8))
        #expect(texts(inbox.takeDeliveries()) == ["ab", "c"])
    }

    @Test func `the end of a stream is told once, with the rest`() {
        var inbox = Inbox(isDatagram: false)
        inbox.put(Data("ab".utf8))
        inbox.end()
        inbox.ask(request(5, 10))
        inbox.ask(request(1, 10))
        let code = "POSIXErrorCode(rawValue: 61): No data available"
        #expect(texts(inbox.takeDeliveries()) == ["ab, complete", "-, complete, \(code)"])
        var empty = Inbox(isDatagram: false)
        empty.end()
        empty.ask(request(1, 10))
        #expect(texts(empty.takeDeliveries()) == ["-, complete"])
        #expect(!empty.wantsMore)
    }

    @Test func `a message of a stream is all of it`() {
        var inbox = Inbox(isDatagram: false)
        inbox.ask(message)
        inbox.put(Data("ab".utf8))
        #expect(inbox.takeDeliveries().isEmpty && inbox.wantsMore)
        inbox.put(Data("c".utf8))
        inbox.end()
        #expect(texts(inbox.takeDeliveries()) == ["abc, complete"])
    }

    @Test func `datagrams stay apart, and large ones come in parts`() {
        var inbox = Inbox(isDatagram: true)
        for text in ["one", "", "three"] { inbox.put(Data(text.utf8)) }
        for _ in 0..<2 { inbox.ask(message) }
        inbox.ask(request(1, 4))
        inbox.ask(request(1, 4))
        #expect(
            texts(inbox.takeDeliveries()) == ["one, complete", ", complete", "thre", "e, complete"])
    }

    @Test func `what arrived before an error is delivered first`() {
        var inbox = Inbox(isDatagram: false)
        inbox.put(Data("ab".utf8))
        inbox.fail(.posix(.ECONNRESET))
        for _ in 0..<2 { inbox.ask(request(1, 10)) }
        #expect(
            texts(inbox.takeDeliveries())
                == ["ab", "-, POSIXErrorCode(rawValue: 104): Connection reset by peer"])
    }

    @Test func `datagrams that nobody receives are lost at some point`() {
        var inbox = Inbox(isDatagram: true)
        for _ in 0..<5000 { inbox.put(Data("x".utf8)) }
        for _ in 0..<5000 { inbox.ask(message) }
        let count = inbox.takeDeliveries().count
        #expect(count > 100 && count < 5000)
    }
}

@Suite("Content to send", .tags(.unit)) struct OutboxTests {
    private func message(_ text: String) -> Outbox.Message {
        Outbox.Message(content: Data(text.utf8), isLast: false, completions: [.idempotent])
    }

    @Test func `parts of a datagram wait for the last one`() {
        var outbox = Outbox()
        outbox.put(message("a"), isComplete: false, isDatagram: true)
        #expect(outbox.take().isEmpty)
        outbox.put(message("b"), isComplete: true, isDatagram: true)
        let sent = outbox.take()
        #expect(sent.map(\.content) == [Data("ab".utf8)])
        #expect(sent.first?.completions.count == 2)
        outbox.put(message("c"), isComplete: false, isDatagram: true)
        #expect(outbox.takeAll().count == 1 && outbox.takeAll().isEmpty)
    }

    @Test func `a stream waits for nothing`() {
        var outbox = Outbox()
        outbox.put(message("a"), isComplete: false, isDatagram: false)
        #expect(outbox.take().map(\.content) == [Data("a".utf8)])
    }
}
