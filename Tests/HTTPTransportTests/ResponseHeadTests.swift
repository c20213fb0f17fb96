import LinkTesting
import Testing

@testable import HTTPTransport

@Suite("Heads of responses", .tags(.unit)) struct ResponseHeadTests {
    private static func read(_ lines: String...) -> ResponseHeadReader {
        lines.reduce(into: ResponseHeadReader()) { $0.read($1 + "\r\n") }
    }

    @Test func `a head is complete at the empty line`() {
        var reader = Self.read("HTTP/1.1 206 Partial Content", "ETag: \"a: b\" ")
        #expect(!reader.isComplete)
        reader.read("\r\n")
        #expect(reader.isComplete)
        #expect(
            reader.head
                == ResponseHead(
                    version: "HTTP/1.1", status: 206,
                    headers: [ExchangeRequest.Header("ETag", "\"a: b\"")]))
    }

    @Test func `a status needs no reason`() {
        #expect(Self.read("HTTP/2 200").head == ResponseHead(version: "HTTP/2", status: 200))
    }

    @Test func `a later response takes the place of an interim one`() {
        let reader = Self.read("HTTP/1.1 103 Early Hints", "Link: x", "", "HTTP/1.1 200 OK", "")
        #expect(reader.head == ResponseHead(version: "HTTP/1.1", status: 200))
        #expect(reader.isComplete)
    }

    @Test func `a folded line belongs to the one before`() {
        let reader = Self.read("HTTP/1.1 200 OK", "A: one", "\t two", "")
        #expect(reader.head?.headers == [ExchangeRequest.Header("A", "one two")])
    }

    @Test func `trailers are not part of the head`() {
        let reader = Self.read("HTTP/1.1 200 OK", "", "Checksum: 1")
        #expect(reader.head?.headers == [])
    }

    @Test(arguments: ["", "HTTP/1.1", "HTTP/1.1 abc", "200 OK", "Name: value"])
    func `anything else is no response`(_ line: String) {
        #expect(Self.read(line, "").head == nil)
    }
}
