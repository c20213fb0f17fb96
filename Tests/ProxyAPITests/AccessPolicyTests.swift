import HTTPAPI
import LinkTesting
import ProxyAPI
import Testing

@Suite("Who may use the API", .tags(.unit)) struct AccessPolicyTests {
    private static let token = "0123456789abcdef"

    @Test(arguments: [
        ("127.0.0.1:8474", true), ("[::1]:8474", true), ("localhost:0", true),
        ("unix:/tmp/a", true), ("0.0.0.0:8474", false), ("[::]:8474", false),
        ("127.0.0.1.example:80", false), ("10.0.0.1:8474", false),
    ])
    func `takes a token wherever others reach it`(address: String, isLocal: Bool) throws {
        let parsed = try #require(APIAddress(address))
        #expect(parsed.description == address)
        #expect(parsed.isLocal == isLocal)
        #expect((try? AccessPolicy(address: parsed, token: nil)) != nil ? isLocal : !isLocal)
        #expect(throws: TokenProblem.self) { try AccessPolicy(address: parsed, token: "short") }
    }

    @Test(arguments: ["8474", "localhost", "::1:8474", "[::1]", ":8474", "unix:", "a:70000"])
    func `refuses what is no address`(text: String) {
        #expect(APIAddress(text) == nil)
    }

    @Test(arguments: [
        ("127.0.0.1:8474", 200), ("localhost:8474", 200), ("LOCALHOST", 200), ("[::1]:8474", 200),
        ("evil.example:8474", 403), ("127.0.0.1.evil.example", 403), ("", 403),
    ])
    func `turns away pages whose names lead to the loopback interface`(
        host: String, status: Int
    ) async throws {
        let answer = try await TestClient().send("GET", "/proxies", headers: ["host": host])
        #expect(answer.status == status)
    }

    @Test(arguments: [
        ("http://evil.example", 403), ("null", 403), ("http://127.0.0.1:3000", 403),
        ("http://127.0.0.1:8474", 204),
    ])
    func `turns away pages of other origins`(origin: String, status: Int) async throws {
        let answer = try await TestClient().send(
            "POST", "/reset", headers: ["host": "127.0.0.1:8474", "origin": origin])
        #expect(answer.status == status)
    }

    @Test(arguments: [
        ("Bearer 0123456789abcdef", 200), ("bearer 0123456789abcdef", 200),
        ("Bearer 0123456789abcdeg", 401), ("Bearer 0123456789abcdef0", 401), ("Bearer", 401),
        // x:0123456789abcdef, which clients make of http://x:TOKEN@host
        ("Basic eDowMTIzNDU2Nzg5YWJjZGVm", 200), ("Basic !", 401),
    ])
    func `takes the token as bearer or password`(header: String, status: Int) async throws {
        let client = try TestClient("0.0.0.0:8474", token: Self.token)
        let answer = await client.send(
            "GET", "/proxies", headers: ["authorization": header, "host": "any.example"])
        #expect(answer.status == status)
        #expect(await client.send("GET", "/proxies").status == 401)
    }

    @Test func `slows down who guesses, and nobody else`() async throws {
        let client = try TestClient("0.0.0.0:8474", token: Self.token)
        func send(_ token: String, from source: String, at seconds: Int) async -> Int {
            await client.api.respond(
                to: APIRequest("GET", "/version", headers: ["authorization": "Bearer \(token)"]),
                from: source, at: .seconds(seconds)
            ).status
        }
        var statuses: [Int] = []
        for _ in 0..<12 { statuses.append(await send("wrong", from: "a", at: 5)) }
        #expect(statuses == Array(repeating: 401, count: 10) + [429, 429])
        // Even the right one, or a guess would be told from the others.
        #expect(await send(Self.token, from: "a", at: 5) == 429)
        #expect(await send(Self.token, from: "b", at: 5) == 200)
        #expect(await send(Self.token, from: "a", at: 7) == 200)
    }

    /// Any user of the host reaches a port of the loopback, and has other files than the proxy's user.
    @Test(arguments: [
        ("POST", "/proxies", "{'name': 'a', 'listen': '', 'upstream': 'unix:/run/docker.sock'}"),
        ("POST", "/proxies", "{'name': 'a', 'listen': 'unix:/root/a', 'upstream': 'b:1'}"),
        ("POST", "/populate", "[{'name': 'a', 'listen': '', 'upstream': '\\u0075nix:/a'}]"),
        ("POST", "/proxies/a/toxics", "{'type': 'profile', 'attributes': {'name': '/etc/a.yaml'}}"),
        ("PATCH", "/v1/links/a", "{'settings': ['up.delay=1 ms', 'down.trace=/etc/shadow']}"),
        ("PATCH", "/v1/links/a", "{'settings': ['trace =secret']}"),
        ("PATCH", "/v1/links/a", "{'profile': '../a'}"),
        ("PUT", "/v1/links/a/scenario", "{'scenario': './a.yml'}"),
    ])
    func `files and sockets are only for who is known`(
        method: String, path: String, body: String
    ) async throws {
        let open = try await TestClient().send(method, path, body)
        #expect(open.status == 403, "\(open)")
        #expect(open.error?.contains("--api unix:/PATH") == true, "\(open)")
        let known = try await TestClient("unix:/api").send(method, path, body)
        #expect(known.status != 403, "\(known)")
    }

    @Test func `what only looks alike is for everybody`() async throws {
        let client = try TestClient()
        for body in ["{'settings': ['up.delay=1 ms']}", "{'profile': 'apple/3G'}"] {
            let answer = await client.send("PATCH", "/v1/links/a", body)
            #expect(answer.status == 404, "\(answer)")
        }
    }
}
