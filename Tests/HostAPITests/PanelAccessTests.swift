import HostAPI
import LinkTesting
import Testing

@Suite("Who may use the panel", .tags(.unit)) struct PanelAccessTests {
    private static let state = "/v1/host/state"

    @Test func `a token opens one browser`() async {
        let client = PanelClient()
        #expect(await client.send("GET", Self.state).status == 401)
        #expect(await client.send("GET", "/").text.contains("has no session"))
        let token = client.access.makeToken()
        let answer = await client.logIn(token)
        #expect(answer.status == 303)
        #expect(answer.headers["location"] == "/")
        let cookie = answer.headers["set-cookie"] ?? ""
        #expect(cookie.contains("; HttpOnly; SameSite=Strict"))
        #expect(!cookie.contains(token))
        #expect(await client.send("GET", Self.state).status == 200)
        #expect(await client.send("GET", "/").text.contains("panel.js"))
        let other = await client.send("GET", "/login?token=\(token)", headers: ["cookie": ""])
        #expect(other.status == 401)
        #expect(other.text.contains("each opens one browser"))
    }

    @Test func `a browser can invite another, and leave`() async throws {
        let client = PanelClient()
        _ = await client.logIn()
        let answer = await client.send("POST", "/v1/host/invitations")
        let address = try #require(answer.text.split(separator: "\"").last { $0.hasPrefix("http") })
        let path = String(address.dropFirst("http://127.0.0.1:8475".count))
        #expect(await client.send("GET", path, headers: ["cookie": ""]).status == 303)
        #expect(await client.send("DELETE", "/v1/host/session").status == 204)
        #expect(await client.send("GET", Self.state).status == 401)
    }

    @Test func `sessions outlive the server, but not their time`() async {
        let cookie = ["cookie": "linkcond=0123456789abcdef"]
        for (date, status): (Int64, Int) in [(999, 200), (1000, 401)] {
            let client = PanelClient(
                sessions: [Session(id: "0123456789abcdef", until: 1000)], date: date)
            #expect(await client.send("GET", Self.state, headers: cookie).status == status)
        }
    }

    @Test func `guessing becomes slow, also for the right token, but not for who is in`() async {
        let client = PanelClient()
        _ = await client.logIn()
        for _ in 0..<10 {
            let answer = await client.send("GET", "/login?token=x", headers: ["cookie": ""])
            #expect(answer.status == 401)
        }
        let token = client.access.makeToken()
        let path = "/login?token=\(token)"
        #expect(await client.send("GET", path, headers: ["cookie": ""]).status == 429)
        #expect(await client.send("GET", Self.state).status == 200)
        let other = await client.send("GET", path, headers: ["cookie": ""], from: "192.0.2.1")
        #expect(other.status == 303)
    }

    @Test(arguments: [
        (["host": "evil.example"], 403), (["host": "127.0.0.1.evil.example:8475"], 403),
        (["host": "localhost:8475"], 200), (["host": "[::1]:8475"], 200),
        (["host": "192.0.2.7:8475"], 200), (["host": "box.example:8475"], 200),
        (["origin": "http://evil.example"], 403), (["origin": "null"], 403),
        (["origin": "http://127.0.0.1:8475"], 200), (["origin": "http://127.0.0.1:9"], 403),
    ])
    func `pages of others are told apart`(headers: [String: String], status: Int) async {
        let client = PanelClient(names: ["box.example"])
        _ = await client.logIn()
        #expect(await client.send("GET", Self.state, headers: headers).status == status)
    }

    @Test func `pages of others change nothing`() async {
        let client = PanelClient()
        _ = await client.logIn()
        let path = "/v1/host/conditions"
        let cross = await client.send("DELETE", path, headers: ["sec-fetch-site": "cross-site"])
        #expect(cross.status == 403)
        let form = await client.send(
            "PUT", "/v1/host/interfaces/eth0/conditions/default", "{'profile':'3G'}",
            headers: ["content-type": "text/plain"])
        #expect(form.status == 415)
        #expect(client.host.commands.isEmpty)
        let own = await client.send("DELETE", path, headers: ["sec-fetch-site": "same-origin"])
        #expect(own.status == 200)
    }

    @Test func `programs have a token of their own`() async {
        let client = PanelClient(programToken: "0123456789abcdef")
        let right = ["authorization": "Bearer 0123456789abcdef"]
        #expect(await client.send("GET", Self.state, headers: right).status == 200)
        for _ in 0..<10 {
            let wrong = ["authorization": "Bearer 0123456789abcdeX"]
            #expect(await client.send("GET", Self.state, headers: wrong).status == 401)
        }
        let wrong = ["authorization": "Bearer 0123456789abcdeX"]
        #expect(await client.send("GET", Self.state, headers: wrong).status == 429)
        #expect(await client.send("GET", Self.state, headers: right).status == 200)
    }

    @Test func `the page may load nothing from elsewhere`() async {
        let client = PanelClient(isEncrypted: true)
        let answer = await client.logIn()
        #expect(answer.headers["set-cookie"]?.hasPrefix("__Host-linkcond=") == true)
        #expect(answer.headers["set-cookie"]?.hasSuffix("; Secure") == true)
        for path in ["/", "/panel.js", "/panel.css"] {
            let answer = await client.send("GET", path)
            #expect(answer.status == 200)
            #expect(
                answer.headers["content-security-policy"]?.hasPrefix("default-src 'none'; ") == true
            )
            #expect(!answer.text.contains("http://") || answer.text.contains("http://www.w3.org"))
            #expect(!answer.text.contains("https://"))
        }
    }
}
