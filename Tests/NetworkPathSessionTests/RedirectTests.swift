import Foundation
import FoundationNetworking
import LinkTesting
import Testing

@testable import NetworkPathSession

@Suite("Redirects", .tags(.unit)) struct RedirectTests {
    private static func redirect(
        _ status: Int, _ location: String?, method: String = "GET"
    ) throws -> NetworkRequest? {
        let url = try #require(URL(string: "http://a.example/dir/file?q=1"))
        var request = NetworkRequest(url: url)
        request.urlRequest.httpMethod = method
        request.urlRequest.setValue("secret", forHTTPHeaderField: "Authorization")
        request.allowsConstrainedNetworkAccess = false
        let response = try #require(
            HTTPURLResponse(
                url: url, statusCode: status, httpVersion: "HTTP/1.1",
                headerFields: location.map { ["Location": $0] }))
        return try Redirect.request(after: response, to: request)
    }

    @Test(arguments: [
        ("/other", "http://a.example/other"), ("other", "http://a.example/dir/other"),
        ("//b.example/", "http://b.example/"), ("https://b.example:8/x", "https://b.example:8/x"),
    ]) func `a location may be relative`(_ location: String, _ url: String) throws {
        let next = try #require(try Self.redirect(302, location))
        #expect(next.url?.absoluteString == url)
        #expect(next.allowsConstrainedNetworkAccess == false)
    }

    @Test(
        arguments: [
            (301, "POST", "GET"), (302, "POST", "GET"), (303, "PUT", "GET"), (303, "HEAD", "HEAD"),
            (302, "PUT", "PUT"), (307, "POST", "POST"), (308, "POST", "POST"),
        ] as [(Int, String, String)])
    func `the status tells the method`(_ status: Int, _ method: String, _ next: String) throws {
        let request = try Self.redirect(status, "/", method: method)
        #expect(request?.urlRequest.httpMethod == next)
    }

    @Test(arguments: [("http://a.example:80/x", true), ("https://a.example/x", false)])
    func `a credential stays with its server`(_ location: String, _ isKept: Bool) throws {
        let next = try #require(try Self.redirect(307, location))
        let credential = next.urlRequest.value(forHTTPHeaderField: "Authorization")
        #expect((credential != nil) == isKept)
    }

    @Test func `other responses lead nowhere`() throws {
        #expect(try Self.redirect(200, "/") == nil)
        #expect(try Self.redirect(304, "/") == nil)
        #expect(try Self.redirect(302, nil) == nil)
    }

    @Test(arguments: ["file:///etc/passwd", "ftp://a.example/", "mailto:a@b.example"])
    func `only HTTP is followed`(_ location: String) {
        #expect(throws: URLError.self) { try Self.redirect(302, location) }
    }
}
