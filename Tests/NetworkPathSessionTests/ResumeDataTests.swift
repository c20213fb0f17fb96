import Foundation
import FoundationNetworking
import LinkTesting
import Testing

@testable import NetworkPathSession

@Suite("What resumes a download", .tags(.unit)) struct ResumeDataTests {
    @Test(
        arguments: [
            ("bytes 5-9/10", 5, 10), ("bytes 0-0/1", 0, 1), ("bytes 7-99/*", 7, nil),
        ] as [(String, Int64, Int64?)]) func `a range is read`(
            _ text: String, _ start: Int64, _ total: Int64?
        ) throws
    {
        let range = try #require(ContentRange(text))
        #expect(range.start == start)
        #expect(range.total == total)
    }

    @Test(arguments: [
        "", "bytes */10", "bytes 9-5/10", "bytes 5-10/10", "octets 5-9/10", "bytes 5-9",
        "bytes -9/10",
        "bytes 5-99999999999999999999/*",
    ]) func `anything else is none`(_ text: String) {
        #expect(ContentRange(text) == nil)
    }

    @Test(
        arguments: [
            (["ETag": "\"a\""], "\"a\""), (["ETag": "W/\"a\""], nil),
            (["ETag": "W/\"a\"", "Last-Modified": "yesterday"], "yesterday"),
            (["ETag": "\"a\"", "Accept-Ranges": "none"], nil),
            (["ETag": "\"a\"", "Content-Encoding": "gzip"], nil), ([:], nil),
        ] as [([String: String], String?)]) func `only a strong promise will do`(
            _ headers: [String: String], _ validator: String?
        ) throws
    {
        let url = try #require(URL(string: "http://192.0.2.2/"))
        let response = try #require(
            HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: headers))
        #expect(ResumeData.Validator(response)?.text == validator)
    }

    @Test(arguments: [(true, 0, true), (nil, 0, false), (nil, 5, true), (true, -1, false)])
    func `only data of a growing file may be of an empty one`(
        _ isGrowing: Bool?, _ received: Int64, _ isUsable: Bool
    ) throws {
        let data = ResumeData(
            url: try #require(URL(string: "http://192.0.2.2/")), headers: [:], partial: "part",
            received: received, validator: .entityTag("\"a\""), isOfGrowingFile: isGrowing)
        let read = try? ResumeData(reading: JSONEncoder().encode(data))
        #expect((read == data) == isUsable)
    }

    @Test func `data of others is refused`() {
        let session = NetworkSession(configuration: .ephemeral)
        #expect(throws: URLError.self) {
            try session.downloadTask(withResumeData: Data("{}".utf8))
        }
    }
}
