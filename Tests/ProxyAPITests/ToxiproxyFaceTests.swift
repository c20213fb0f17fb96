import HTTPAPI
import JSONReading
import LinkTesting
import ProxyAPI
import ProxyControl
import Testing

@Suite("Toxiproxy's API", .tags(.unit)) struct ToxiproxyFaceTests {
    private func client() async throws -> TestClient {
        let client = try TestClient()
        let answer = await client.send(
            "POST", "/proxies",
            "{'name': 'db', 'listen': 'localhost:3310', 'upstream': 'localhost:5432'}")
        #expect(answer.status == 201)
        return client
    }

    @Test func `shows a new proxy field by field as Toxiproxy does`() async throws {
        let client = try TestClient()
        let created = await client.send(
            "POST", "/proxies",
            "{'name': 'db', 'listen': 'localhost:3310', 'upstream': 'localhost:5432'}")
        let text =
            #"{"name":"db","listen":"127.0.0.1:3310","upstream":"localhost:5432","enabled":true,"#
            + #""toxics":[]}"#
        #expect(created.status == 201)
        #expect(created.text == text)
        #expect(created.headers["content-type"] == "application/json")
        #expect(created.headers["x-toxiproxy-request-id"] != nil)
        #expect(await client.send("GET", "/proxies/db").text == text)
        #expect(await client.send("GET", "/proxies").text == #"{"db":\#(text)}"#)
        #expect(
            await client.send("GET", "/version").text == "{\"version\": \"2.12.0\"}\n")
    }

    @Test(arguments: [
        ("POST", "/proxies", "{'name': ''}", 400, "missing required field: name"),
        ("POST", "/proxies", "{'name': 'a'}", 400, "missing required field: upstream"),
        ("POST", "/proxies", "{'name': 'db', 'upstream': 'x:1'}", 409, "proxy already exists"),
        (
            "POST", "/proxies", "{'name': 'b', 'listen': 'localhost:3310', 'upstream': 'x:1'}", 500,
            "listen tcp 127.0.0.1:3310: bind: address already in use"
        ),
        ("POST", "/proxies", "", 400, "bad request body: EOF"),
        (
            "POST", "/proxies", "{'name': 3}", 400,
            "bad request body: name: a text belongs here, not 3"
        ),
        (
            "POST", "/proxies", "{'name': ", 400,
            "bad request body: line 1, column 10: the text ends where a value belongs"
        ),
        ("GET", "/proxies/x", "", 404, "proxy not found"),
        ("DELETE", "/proxies/x", "", 404, "proxy not found"),
        ("GET", "/proxies/x/toxics", "", 404, "proxy not found"),
        ("GET", "/proxies/db/toxics/x", "", 404, "toxic not found"),
        ("DELETE", "/proxies/db/toxics/x", "", 404, "toxic not found"),
        ("PATCH", "/proxies/db/toxics/x", "{}", 404, "toxic not found"),
        ("POST", "/proxies/db/toxics", "{'type': 'x'}", 400, "invalid toxic type"),
        (
            "POST", "/proxies/db/toxics", "{'type': 'latency', 'stream': 'x'}", 400,
            "stream was invalid, can be either upstream or downstream"
        ),
        (
            "POST", "/proxies/db/toxics",
            "{'type': 'latency', 'attributes': {'latency': 'long'}}", 400,
            "bad request body: attributes.latency: a whole number belongs here, not a text"
        ),
        (
            "POST", "/populate", "[{'name': 'a', 'upstream': 'b'}, {'name': ''}]", 400,
            "missing required field: name at proxy 2"
        ),
    ])
    func `refuses in Toxiproxy's words`(
        method: String, target: String, body: String, status: Int, error: String
    ) async throws {
        let answer = try await client().send(method, target, body)
        #expect(answer.status == status)
        #expect(answer.error == error)
        #expect(answer.json["status"] == .integer(status))
    }

    @Test func `names toxics after type and stream and keeps both apart`() async throws {
        let client = try await client()
        let down = await client.send(
            "POST", "/proxies/db/toxics",
            "{'type': 'latency', 'attributes': {'latency': 100, 'jitter': 10}}")
        #expect(
            down.text
                == #"{"attributes":{"latency":100,"jitter":10},"name":"latency_downstream","#
                + #""type":"latency","stream":"downstream","toxicity":1}"#)
        let up = await client.send(
            "POST", "/proxies/db/toxics", "{'type': 'latency', 'stream': 'UPSTREAM'}")
        #expect(up.json["name"] == "latency_upstream")
        let again = await client.send("POST", "/proxies/db/toxics", "{'type': 'latency'}")
        #expect(again.status == 409)
        #expect(again.error == "toxic already exists")
        // The client's data first.
        let names = await client.send("GET", "/proxies/db/toxics").text
        #expect(names == "[\(up.text),\(down.text)]")
        #expect(await client.send("GET", "/proxies/db").text.contains(names))
    }

    @Test(arguments: ["POST", "PATCH"])
    func `changes only the attributes that a request names`(method: String) async throws {
        let client = try await client()
        _ = await client.send(
            "POST", "/proxies/db/toxics",
            "{'type': 'latency', 'attributes': {'latency': 100, 'jitter': 10}}")
        let changed = await client.send(
            method, "/proxies/db/toxics/latency_downstream",
            "{'attributes': {'latency': 500}, 'stream': 'upstream', 'name': 'other'}")
        #expect(changed.status == 200)
        #expect(
            changed.text
                == #"{"attributes":{"latency":500,"jitter":10},"name":"latency_downstream","#
                + #""type":"latency","stream":"downstream","toxicity":1}"#)
        #expect(await client.proxy.link(of: "db")?.settings.contains("down.delay=500 ms") == true)
    }

    @Test func `makes packets' toxics conditions of the link and takes them back`() async throws {
        let client = try await client()
        for body in [
            "{'type': 'latency', 'attributes': {'latency': 100}}",
            "{'type': 'latency', 'name': 'more', 'attributes': {'latency': 20, 'jitter': 5}}",
            "{'type': 'bandwidth', 'stream': 'upstream', 'attributes': {'rate': 125}}",
            "{'type': 'loss', 'attributes': {'percent': 2, 'burst': 8}}",
        ] { #expect(await client.send("POST", "/proxies/db/toxics", body).status == 200) }
        #expect(
            await client.proxy.link(of: "db")?.settings == [
                "down.delay=120 ms", "down.jitter=5 ms", "down.distribution=uniform",
                "down.loss={ mean: 2%, burst: 8 }", "up.bandwidth=1 Mbit/s",
            ])
        let shown = await client.send("GET", "/proxies/db/toxics")
        #expect(shown.text.contains(#"{"percent":2,"burst":8}"#))
        for name in ["latency_downstream", "more", "bandwidth_upstream", "loss_downstream"] {
            #expect(await client.send("DELETE", "/proxies/db/toxics/\(name)").status == 204)
        }
        #expect(await client.proxy.link(of: "db")?.settings == [])
        #expect(await client.proxy.link(of: "db")?.profile == "Baseline")
    }

    @Test func `leaves what is done to streams to the proxy`() async throws {
        let client = try await client()
        for (type, attributes) in [
            ("timeout", "{'timeout': 0}"), ("reset_peer", "{'timeout': 50}"),
            ("slow_close", "{'delay': 20}"), ("limit_data", "{'bytes': 100}"),
            ("slicer", "{'average_size': 64, 'size_variation': 32, 'delay': 10}"),
        ] {
            let answer = await client.send(
                "POST", "/proxies/db/toxics",
                "{'type': '\(type)', 'toxicity': 0.5, 'attributes': \(attributes)}")
            #expect(answer.status == 200, "\(answer)")
        }
        #expect(
            await client.proxy.behaviours(of: "db") == [
                .init(
                    name: "timeout_downstream", .timeout(milliseconds: 0), .downstream,
                    toxicity: 0.5),
                .init(
                    name: "reset_peer_downstream", .resetPeer(milliseconds: 50), .downstream,
                    toxicity: 0.5),
                .init(
                    name: "slow_close_downstream", .slowClose(milliseconds: 20), .downstream,
                    toxicity: 0.5),
                .init(
                    name: "limit_data_downstream", .limitData(bytes: 100), .downstream,
                    toxicity: 0.5),
                .init(
                    name: "slicer_downstream",
                    .slicer(averageBytes: 64, variationBytes: 32, delayMicroseconds: 10),
                    .downstream,
                    toxicity: 0.5),
            ])
    }

    @Test func `says why a share of connections cannot have packets of their own`() async throws {
        let client = try await client()
        let half = await client.send(
            "POST", "/proxies/db/toxics", "{'type': 'latency', 'toxicity': 0.5}")
        #expect(half.status == 400)
        #expect(half.error?.contains("all connections of a listener share its link") == true)
        let none = await client.send(
            "POST", "/proxies/db/toxics",
            "{'type': 'latency', 'toxicity': 0, 'attributes': {'latency': 9}}")
        #expect(none.status == 200)
        #expect(await client.proxy.link(of: "db")?.settings == [])
    }

    @Test func `resets everything`() async throws {
        let client = try await client()
        for type in ["down", "timeout", "noop"] {
            _ = await client.send("POST", "/proxies/db/toxics", "{'type': '\(type)'}")
        }
        #expect(
            await client.proxy.link(of: "db")?.settings == ["down.loss=100%", "up.loss=100%"])
        let disabled = await client.send("POST", "/proxies/db", "{'enabled': false}")
        #expect(disabled.json["enabled"] == false)
        #expect(await client.send("POST", "/reset").status == 204)
        let proxy = await client.send("GET", "/proxies/db")
        #expect(proxy.json["enabled"] == true)
        #expect(proxy.json["toxics"] == .array([]))
        #expect(await client.proxy.link(of: "db")?.settings == [])
        #expect(await client.proxy.behaviours(of: "db") == [])
    }

    @Test func `populates, and keeps a proxy that is as wanted`() async throws {
        let client = try await client()
        _ = await client.send("POST", "/proxies/db/toxics", "{'type': 'timeout'}")
        let answer = await client.send(
            "POST", "/populate",
            "[{'name': 'db', 'listen': 'localhost:3310', 'upstream': 'localhost:5432'},"
                + " {'name': 'b', 'listen': '127.0.0.1:9', 'upstream': 'x:1', 'enabled': false}]")
        #expect(answer.status == 201)
        #expect(answer.json["error"] == nil)
        #expect(await client.send("GET", "/proxies/b").json["enabled"] == false)
        #expect(await client.send("GET", "/proxies/db/toxics").text.contains("timeout"))
        // Another target: it is a new proxy.
        let other = await client.send(
            "POST", "/populate",
            "[{'name': 'db', 'listen': 'localhost:3310', 'upstream': 'localhost:1'}]")
        #expect(other.text.contains(#""upstream":"localhost:1","enabled":true,"toxics":[]"#))
        let empty = await client.send("POST", "/populate", "[]")
        #expect(empty.text == #"{"proxies":null}"#)
    }

    @Test func `keeps toxics when a proxy moves, and ends its connections`() async throws {
        let client = try await client()
        _ = await client.send("POST", "/proxies/db/toxics", "{'type': 'down'}")
        let moved = await client.send("PATCH", "/proxies/db", "{'upstream': 'localhost:1'}")
        #expect(moved.status == 200)
        #expect(moved.text.contains(#""type":"down""#))
        #expect(await client.proxy.orders.last == .closeConnections("db"))
        // A client that sends back all that it has got changes nothing.
        let before = await client.proxy.orders.count
        _ = await client.send("POST", "/proxies/db", moved.text)
        #expect(await client.proxy.orders.count == before)
    }

    @Test func `refuses browsers and other methods`() async throws {
        let client = try await client()
        let browser = await client.send(
            "GET", "/proxies", headers: ["user-agent": "Mozilla/5.0 (X11)"])
        #expect(browser.status == 403)
        let put = await client.send("PUT", "/proxies/db")
        #expect(put.status == 405)
        #expect(put.headers["allow"] == "GET, POST, PATCH, DELETE")
        #expect(await client.send("GET", "/nothing").status == 404)
    }

    @Test func `keeps packets' toxics off a link that others use`() async throws {
        let client = try TestClient()
        _ = await client.send("POST", "/v1/links", "{'name': 'shared'}")
        _ = await client.send(
            "POST", "/v1/listeners",
            "{'name': 'a', 'address': '127.0.0.1:0', 'target': 'x:1', 'link': 'shared'}")
        let latency = await client.send("POST", "/proxies/a/toxics", "{'type': 'latency'}")
        #expect(latency.status == 409)
        #expect(latency.error?.contains("PATCH /v1/links/shared") == true)
        let timeout = await client.send("POST", "/proxies/a/toxics", "{'type': 'timeout'}")
        #expect(timeout.status == 200)
    }

    @Test func `counts bytes for Prometheus`() async throws {
        let client = try await client()
        let metrics = await client.send("GET", "/metrics")
        #expect(
            metrics.text.contains(
                #"toxiproxy_proxy_sent_bytes_total{direction="upstream","#
                    + #"listener="127.0.0.1:3310",proxy="db",upstream="localhost:5432"} 0"#))
    }
}
