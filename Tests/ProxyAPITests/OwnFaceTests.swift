import HTTPAPI
import JSONReading
import LinkTesting
import ProxyAPI
import ProxyControl
import Testing

@Suite("The API under /v1", .tags(.unit)) struct OwnFaceTests {
    private func client() async throws -> TestClient {
        let client = try TestClient()
        let answer = await client.send(
            "POST", "/v1/listeners",
            "{'name': 'db', 'address': '127.0.0.1:0', 'target': 'localhost:5432', "
                + "'profile': '3G', 'settings': ['down.loss=1%']}")
        #expect(answer.status == 201, "\(answer)")
        return client
    }

    @Test func `makes, shows, changes and deletes listeners`() async throws {
        let client = try await client()
        let shown = await client.send("GET", "/v1/listeners/db")
        #expect(shown.json["address"] == "127.0.0.1:40001")
        #expect(shown.json["protocol"] == "forward")
        #expect(shown.json["counters"]?["accepted"] == .integer(0))
        let changed = await client.send(
            "PATCH", "/v1/listeners/db",
            "{'enabled': false, 'name': 'data', 'behaviours': "
                + "[{'type': 'timeout', 'timeout': 5, 'direction': 'upstream'}]}")
        #expect(changed.status == 200)
        #expect(changed.text.contains(#""name":"timeout_upstream""#))
        #expect(await client.send("GET", "/v1/listeners/db").status == 404)
        #expect(await client.send("DELETE", "/v1/listeners/data/connections").status == 200)
        #expect(await client.send("DELETE", "/v1/listeners/data").status == 204)
        #expect(await client.send("GET", "/v1/state").text == #"{"listeners":[],"links":[]}"#)
    }

    @Test func `makes SOCKS and HTTP proxies, which Toxiproxy's clients do not see`() async throws {
        let client = try TestClient()
        for name in ["socks", "http"] {
            let answer = await client.send(
                "POST", "/v1/listeners",
                "{'name': '\(name)', 'address': '127.0.0.1:0', 'protocol': '\(name)'}")
            #expect(answer.status == 201, "\(answer)")
        }
        #expect(await client.send("GET", "/proxies").text == "{}")
        #expect(await client.send("GET", "/proxies/socks").status == 404)
    }

    @Test(arguments: [
        ("POST", "/v1/listeners", "{'target': 'x:1'}", "address", "is missing"),
        ("POST", "/v1/listeners", "{'address': 'a:1'}", "target", "is missing"),
        (
            "POST", "/v1/listeners", "{'address': 'a:1', 'target': 'x:1', 'adress': 1}", "adress",
            "no such field"
        ),
        (
            "POST", "/v1/listeners", "{'address': 'a:1', 'protocol': 'socks', 'target': 'x:1'}",
            "target", "name their targets"
        ),
        (
            "POST", "/v1/listeners",
            "{'address': 'a:1', 'target': 'x:1', 'link': 'l', 'profile': '3G'}", "link",
            "no conditions of its own"
        ),
        (
            "PATCH", "/v1/listeners/db", "{'behaviours': [{'type': 'latency'}]}",
            "behaviours[0].type", "not one of timeout"
        ),
        (
            "PATCH", "/v1/listeners/db", "{'behaviours': [{'type': 'timeout', 'delay': 1}]}",
            "behaviours[0].delay", "no such field"
        ),
        (
            "PATCH", "/v1/listeners/db",
            "{'behaviours': [{'type': 'timeout', 'direction': 'up'}]}",
            "behaviours[0].direction", "upstream, downstream"
        ),
        ("PATCH", "/v1/links/db", "{'settings': ['a', 1]}", "settings[1]", "a text belongs here"),
        ("PATCH", "/v1/links/db", "[]", "body", "an object belongs here, not a list"),
        ("POST", "/v1/links", "{'name': 'x', 'seed': -1}", "seed", "at least 0"),
        ("PUT", "/v1/links/db/scenario", "{}", "scenario", "is missing"),
    ])
    func `names the field that is wrong`(
        method: String, target: String, body: String, field: String, text: String
    ) async throws {
        let answer = try await client().send(method, target, body)
        #expect(answer.status == 400)
        #expect(answer.json["field"] == .string(field))
        #expect(answer.error?.contains(text) == true, "\(answer)")
    }

    @Test func `says where a body is no JSON`() async throws {
        let answer = try await client().send("PATCH", "/v1/links/db", "{'profile': 3G}")
        #expect(answer.status == 400)
        #expect(
            answer.error
                == "the body is not JSON: line 1, column 14: a comma or } belongs here")
    }

    @Test func `changes a link below its toxics`() async throws {
        let client = try await client()
        _ = await client.send(
            "POST", "/proxies/db/toxics", "{'type': 'latency', 'attributes': {'latency': 100}}")
        let link = await client.proxy.link(of: "db")
        #expect(link?.profile == "3G")
        #expect(link?.settings == ["down.loss=1%", "down.delay=200 ms"])
        let changed = await client.send(
            "PATCH", "/v1/links/db", "{'profile': 'LTE', 'settings': []}")
        #expect(changed.status == 200)
        #expect(changed.json["profile"] == "LTE")
        #expect(changed.json["settings"] == .array([]))
        #expect(changed.json["inForce"]?["settings"] == .array(["down.delay=150 ms"]))
        _ = await client.send("POST", "/reset")
        let after = await client.proxy.link(of: "db")
        #expect(after?.profile == "LTE")
        #expect(after?.settings == [])
    }

    @Test func `leaves toxics to the program that follows it`() async throws {
        let client = try await client()
        for (type, attributes) in [("latency", "'latency': 100"), ("noop", "")] {
            _ = await client.send(
                "POST", "/proxies/db/toxics", "{'type': '\(type)', 'attributes': {\(attributes)}}")
        }
        let next = try TestClient(following: client)
        try await next.api.start(at: #require(APIAddress("127.0.0.1:8474")))
        #expect(await client.proxy.orders.last == .serves(at: "127.0.0.1:8474"))
        #expect(
            await next.send("GET", "/proxies/db/toxics").text
                == client.send("GET", "/proxies/db/toxics").text)
        _ = await next.send("DELETE", "/proxies/db/toxics/latency_downstream")
        #expect(await next.send("GET", "/v1/links/db").json["settings"] == .array(["down.loss=1%"]))
        #expect(await client.proxy.link(of: "db")?.settings == ["down.loss=1%"])
        #expect(await client.proxy.link(of: "db")?.annotation != nil)
        _ = await next.send("POST", "/reset")
        #expect(await client.proxy.link(of: "db")?.annotation == nil)
    }

    @Test func `hands overrides on, for who may be the user`() async throws {
        let path = "/v1/host/overrides"
        let answer = APIResponse(status: 200, "application/json", "{}")
        for (address, token, status) in [
            ("127.0.0.1:8474", nil, 403), ("unix:/api", nil, 200),
            ("127.0.0.1:8474", "0123456789abcdef", 200),
        ] as [(String, String?, Int)] {
            let client = try TestClient(address, token: token) { _, _ in answer }
            let headers = token.map { ["authorization": "Bearer \($0)"] } ?? [:]
            #expect(await client.send("GET", path, headers: headers).status == status)
        }
        #expect(try await TestClient("unix:/api").send("GET", path).status == 404)
    }

    @Test func `puts a profile in place of another as a toxic`() async throws {
        let client = try await client()
        let answer = await client.send(
            "POST", "/proxies/db/toxics", "{'type': 'profile', 'attributes': {'name': 'Edge'}}")
        #expect(answer.status == 200, "\(answer)")
        #expect(await client.proxy.link(of: "db")?.profile == "Edge")
        #expect(await client.proxy.link(of: "db")?.settings == [])
        let unknown = await client.send(
            "PATCH", "/proxies/db/toxics/profile_downstream", "{'attributes': {'name': '3H'}}")
        #expect(unknown.status == 400)
        #expect(unknown.error?.contains("3H: no such profile") == true)
        _ = await client.send("DELETE", "/proxies/db/toxics/profile_downstream")
        #expect(await client.proxy.link(of: "db")?.profile == "3G")
        #expect(await client.proxy.link(of: "db")?.settings == ["down.loss=1%"])
    }

    @Test func `starts and stops scenarios`() async throws {
        let client = try await client()
        let started = await client.send("PUT", "/v1/links/db/scenario", "{'scenario': 'subway'}")
        #expect(started.json["scenario"] == "subway")
        let stopped = await client.send("DELETE", "/v1/links/db/scenario")
        #expect(stopped.json["scenario"] == .null)
        _ = await client.send("POST", "/proxies/db/toxics", "{'type': 'down'}")
        let refused = await client.send("PUT", "/v1/links/db/scenario", "{'scenario': 'subway'}")
        #expect(refused.status == 409)
    }

    @Test func `lets only one of two controllers change what both have seen`() async throws {
        let client = try await client()
        let tag = await client.send("GET", "/v1/links/db").headers["etag"] ?? ""
        await client.proxy.setPause { for _ in 0..<10 { await Task.yield() } }
        let answers = await withTaskGroup(of: Answer.self) { group in
            for profile in ["LTE", "Edge"] {
                group.addTask {
                    await client.send(
                        "PATCH", "/v1/links/db", "{'profile': '\(profile)'}",
                        headers: ["if-match": tag])
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.map(\.status).sorted() == [200, 412])
        let kept = answers.first { $0.status == 200 }
        #expect(await client.send("GET", "/v1/links/db").text == kept?.text)
        #expect(await client.send("GET", "/v1/links/db").headers["etag"] == kept?.headers["etag"])
    }

    @Test func `makes one of two listeners of the same name`() async throws {
        let client = try TestClient()
        await client.proxy.setPause { for _ in 0..<10 { await Task.yield() } }
        let statuses = await withTaskGroup(of: Int.self) { group in
            for port in 1...8 {
                group.addTask {
                    await client.send(
                        "POST", "/proxies",
                        "{'name': 'a', 'listen': '127.0.0.1:\(port)', 'upstream': 'x:1'}"
                    ).status
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.sorted() == [201] + Array(repeating: 409, count: 7))
    }

    @Test func `does not count traffic as a change`() async throws {
        let client = try await client()
        let first = await client.send("GET", "/v1/listeners/db")
        let second = await client.send(
            "PATCH", "/v1/listeners/db", "{'enabled': false}",
            headers: ["if-match": "\"x\", \(first.headers["etag"] ?? "")"])
        #expect(second.status == 200)
        #expect(second.headers["etag"] != first.headers["etag"])
        #expect(second.headers["etag"] == second.json["version"].map { "\($0)" })
    }

    @Test func `tells events in the order of their arrival`() async throws {
        let client = try await client()
        let request = APIRequest("GET", "/v1/events?counters=100")
        let response = await client.api.respond(to: request)
        guard case .events(let stream) = response.content else {
            Issue.record("no events: \(response)")
            return
        }
        #expect(await client.proxy.orders.last == .subscribe(countersEvery: 100))
        client.api.receive(.listenerDeleted("x"))
        client.api.receive(.counters(ProxyCounters(listeners: [:], links: [:])))
        client.api.receive(.note("late"))
        var iterator = stream.makeAsyncIterator()
        #expect(await iterator.next()?.hasPrefix("event: state\ndata: {\"listeners\":[{") == true)
        #expect(await iterator.next() == "event: listener-deleted\ndata: {\"name\":\"x\"}\n\n")
        #expect(
            await iterator.next() == "event: counters\ndata: {\"listeners\":{},\"links\":{}}\n\n")
        #expect(await iterator.next() == "event: note\ndata: {\"text\":\"late\"}\n\n")
        let bad = await client.send("GET", "/v1/events?counters=1")
        #expect(bad.status == 400)
    }

    @Test func `lists profiles`() async throws {
        let profiles = await (try client()).send("GET", "/v1/profiles")
        #expect(profiles.text.contains(#""name":"apple/3G""#))
    }
}
