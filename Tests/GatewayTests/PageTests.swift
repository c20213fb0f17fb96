import LinkModel
import LinkTesting
import LinkUnits
import LinuxKernel
import Testing

@testable import Gateway

@Suite("The page of a gateway", .tags(.unit))
struct PageTests {
    private static let text = "GET / HTTP/1.1\r\nHost: linkcond.box\r\n\r\n"

    private static func read(_ text: String) -> PageRequest.Reading {
        PageRequest.reading(Array(text.utf8))
    }

    // MARK: Reading

    @Test func `a request is complete with its last byte, and not before`() throws {
        let text =
            "POST /profile?x=1 HTTP/1.1\r\nHOST:  linkcond.box \r\nContent-Length: 3\r\n\r\na=b"
        for length in 0..<text.utf8.count {
            #expect(PageRequest.reading(Array(text.utf8.prefix(length))) == .incomplete)
        }
        guard case .complete(let request) = Self.read(text) else {
            Issue.record("not complete")
            return
        }
        #expect(request.method == "POST")
        #expect(request.path == "/profile")
        #expect(request.headers["host"] == "linkcond.box")
        #expect(request.form == ["a": "b"])
    }

    @Test(arguments: [
        ("GET /\r\n\r\n", PageResponse.Status.badRequest),
        ("GET http://elsewhere/ HTTP/1.1\r\n\r\n", .badRequest),
        ("GET / HTTP/2\r\n\r\n", .badRequest),
        ("\r\n\r\n", .badRequest),
        ("GET / HTTP/1.1\r\nno colon\r\n\r\n", .badRequest),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", .badRequest),
        ("GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", .badRequest),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", .badRequest),
        ("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", .badRequest),
        ("POST / HTTP/1.1\r\nContent-Length: 1x\r\n\r\n", .badRequest),
        ("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", .badRequest),
        ("POST / HTTP/1.1\r\nContent-Length: 1025\r\n\r\n", .tooLarge),
    ])
    func `what is no request is refused`(text: String, status: PageResponse.Status) {
        #expect(Self.read(text) == .unacceptable(status))
    }

    @Test func `a head without an end is refused when it is too long`() {
        let text = "GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 9000)
        #expect(Self.read(text) == .unacceptable(.tooLarge))
        #expect(Self.read(text + "\r\n\r\n") == .unacceptable(.tooLarge))
    }

    @Test func `no bytes are too strange for the reader`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var bytes = Array(Self.text.utf8)
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255)
            }
            // Whatever it says, it returns.
            _ = PageRequest.reading(bytes)
        }
    }

    @Test func `forms are decoded`() {
        var request = PageRequest(method: "POST", path: "/")
        request.body = "a=x+y%26%c3%A9&b=%4&c&d=1=2"
        #expect(request.form == ["a": "x y&é", "b": "%4", "d": "1=2"])
    }

    // MARK: Answers

    private static let phone = "192.168.77.20"
    private static let offers = [
        NetworkChoice(title: "apple/LTE", conditions: LinkConditions()),
        NetworkChoice(title: "apple/3G", conditions: LinkConditions()),
    ]

    private static func page() throws -> GatewayPage {
        var network = try GatewayNetwork(
            inner: "lan0", uplink: "wan0", address: "192.168.77.1/24")
        network.address6 = IPAddress("fd00::1")
        return GatewayPage(network, offers: offers)
    }

    private static func item(_ number: UInt8, isChangeable: Bool = true) throws -> PageView.Item {
        let hardware = try #require(HardwareAddress(bytes: [2, 0, 0, 0, 0, number]))
        let device = Device(hardware, at: .zero)
        return PageView.Item(
            hardware: hardware, title: "<phone> & \"co\"", addresses: [],
            decision: Decision(
                for: device, DeviceSettings(), default: offers[1], now: .zero,
                local: LocalTime(weekday: 1, minute: 0)),
            isChangeable: isChangeable)
    }

    private static func visitor(
        _ address: String = phone, _ items: [PageView.Item]
    ) throws -> GatewayPage.Visitor {
        GatewayPage.Visitor(address: try #require(IPAddress(address)), items: items)
    }

    private static func get(_ host: String?) -> PageRequest {
        var request = PageRequest(method: "GET", path: "/")
        request.headers["host"] = host
        return request
    }

    private static func token(of page: PageResponse) throws -> String {
        let rest = try #require(
            page.body.split(separator: "name=\"token\" value=\"").dropFirst().first)
        return String(rest.prefix { $0 != "\"" })
    }

    private static func post(
        _ fields: [String: String], origin: String? = "http://linkcond.box"
    ) -> PageRequest {
        var request = PageRequest(method: "POST", path: "/profile")
        request.headers = ["host": "linkcond.box"]
        request.headers["origin"] = origin
        request.body = fields.map { "\($0)=\($1)" }.joined(separator: "&")
        return request
    }

    @Test(arguments: [
        "linkcond.box", "LINKCOND.BOX:80", "192.168.77.1", "192.168.77.1:80", "[fd00::1]",
        "[fd00::1]:80", "linkcond.box.",
    ])
    func `the gateway's own names lead to the page`(host: String) throws {
        var page = try Self.page()
        let response = page.answer(Self.get(host), try Self.visitor(Self.phone, [Self.item(1)])).0
        #expect(response.status == .ok)
        #expect(response.body.contains("apple/3G"))
        // A name that a device chose is a text, and nothing else.
        #expect(response.body.contains("&lt;phone&gt; &amp; &quot;co&quot;"))
        #expect(!response.body.contains("<phone>"))
    }

    @Test(arguments: [
        nil, "evil.example", "linkcond.box:8080", "192.168.77.20", "linkcond.box.evil",
    ])
    func `a foreign name that leads here gets nothing`(host: String?) throws {
        var page = try Self.page()
        let response = page.answer(Self.get(host), try Self.visitor(Self.phone, [Self.item(1)])).0
        #expect(response.status == .misdirected)
        #expect(!response.body.contains("token"))
    }

    @Test func `a device that is unknown sees nothing`() throws {
        var page = try Self.page()
        #expect(
            page.answer(Self.get("linkcond.box"), try Self.visitor(Self.phone, [])).0.status
                == .forbidden)
    }

    @Test func `a device chooses another network`() throws {
        var page = try Self.page()
        let visitor = try Self.visitor(Self.phone, [Self.item(1)])
        let token = try Self.token(of: page.answer(Self.get("linkcond.box"), visitor).0)
        let fields = [
            "token": token, "device": "\(visitor.items[0].hardware)", "profile": "1",
            "minutes": "10",
        ]
        let (response, wish) = page.answer(Self.post(fields), visitor)
        #expect(response.status == .seeOther)
        #expect(response.location == "/")
        #expect(
            wish
                == GatewayPage.Wish(
                    device: visitor.items[0].hardware, choice: Self.offers[0],
                    duration: .seconds(600)))
        // Browsers that send no origin send the token.
        #expect(page.answer(Self.post(fields, origin: nil), visitor).1 != nil)
    }

    @Test func `forms that are another's, or of another, are refused`() throws {
        var page = try Self.page()
        let own = try Self.visitor(Self.phone, [Self.item(1)])
        let other = try Self.visitor("192.168.77.21", [Self.item(2)])
        let token = try Self.token(of: page.answer(Self.get("linkcond.box"), own).0)
        _ = page.answer(Self.get("linkcond.box"), other)
        let fields = [
            "token": token, "device": "\(own.items[0].hardware)", "profile": "1", "minutes": "0",
        ]
        func status(
            _ changes: [String: String], _ visitor: GatewayPage.Visitor,
            origin: String? = "http://linkcond.box"
        ) -> PageResponse.Status? {
            let (response, wish) = page.answer(
                Self.post(fields.merging(changes) { $1 }, origin: origin), visitor)
            return wish == nil ? response.status : nil
        }
        #expect(status([:], own) == nil)
        #expect(status([:], own, origin: "http://evil.example") == .forbidden)
        #expect(status([:], own, origin: "null") == .forbidden)
        #expect(status(["token": ""], own) == .forbidden)
        #expect(status([:], other) == .forbidden)
        #expect(status(["device": "\(other.items[0].hardware)"], own) == .forbidden)
        #expect(status(["device": "x"], own) == .badRequest)
        #expect(status(["profile": "3"], own) == .badRequest)
        #expect(status(["profile": "-1"], own) == .badRequest)
        #expect(status(["minutes": "7"], own) == .badRequest)
        let fixed = try Self.visitor(Self.phone, [Self.item(1, isChangeable: false)])
        #expect(status([:], fixed) == .conflict)
    }

    @Test func `other paths and methods are refused`() throws {
        var page = try Self.page()
        let visitor = try Self.visitor(Self.phone, [Self.item(1)])
        var request = Self.get("linkcond.box")
        request.path = "/../etc/passwd"
        #expect(page.answer(request, visitor).0.status == .notFound)
        request.method = "DELETE"
        let response = page.answer(request, visitor).0
        #expect(response.status == .notAllowed)
        #expect(
            String(decoding: response.bytes(), as: UTF8.self).contains(
                "\r\nAllow: GET, HEAD, POST\r\n"))
    }

    @Test func `responses forbid scripts, frames and what is elsewhere`() {
        let text = String(decoding: PageResponse(status: .ok, body: "é").bytes(), as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(text.contains("\r\nContent-Length: 2\r\n"))
        #expect(text.contains("default-src 'none'"))
        #expect(text.contains("frame-ancestors 'none'"))
        #expect(text.hasSuffix("\r\n\r\né"))
        let head = String(
            decoding: PageResponse(status: .ok, body: "é").bytes(withBody: false), as: UTF8.self)
        #expect(head.hasSuffix("\r\n\r\n"))
    }
}
