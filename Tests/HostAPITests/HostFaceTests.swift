import HTTPAPI
import HostAPI
import JSONReading
import LinkTesting
import LinuxKernel
import Testing

@Suite("The API of a host", .tags(.unit)) struct HostFaceTests {
    private static let place = "/v1/host/interfaces/eth0/conditions/default"

    private func client() async -> PanelClient {
        let client = PanelClient()
        _ = await client.logIn()
        return client
    }

    @Test func `a request becomes the words of one command, which the answer shows`() async {
        let client = await client()
        let answer = await client.send(
            "PUT", Self.place,
            "{'profile':'3G','settings':['down.loss=2%'],'for':'10m','direction':'down','seed':7}")
        #expect(answer.status == 201)
        #expect(
            client.host.commands == [
                [
                    "apply", "3G", "-i", "eth0", "--set", "down.loss=2%", "--direction", "down",
                    "--for", "10m", "--seed", "7",
                ]
            ])
        let words = client.host.commands.first ?? []
        #expect(
            answer.json["command"] == .string(ShellWord.line(["sudo", "linkcond"] + words)))
        #expect(answer.json["notes"] == .texts(["as told"]))
        #expect(answer.json["conditions"]?["profile"] == "3G")
        #expect(answer.headers["etag"] == "\"v-3G\"")
    }

    @Test func `of two who change the same, the second is told`() async {
        let client = await client()
        let first = await client.send(
            "PUT", Self.place, "{'profile':'3G'}", headers: ["if-none-match": "*"])
        #expect(first.status == 201)
        let late = await client.send(
            "PUT", Self.place, "{'profile':'LTE'}", headers: ["if-none-match": "*"])
        #expect(late.status == 412)
        let version = first.headers["etag"] ?? ""
        let second = await client.send(
            "PUT", Self.place, "{'profile':'LTE'}", headers: ["if-match": version])
        #expect(second.status == 200)
        #expect(client.host.commands.last == ["apply", "LTE", "-i", "eth0", "--replace"])
        for method in ["PUT", "DELETE"] {
            let body = method == "PUT" ? "{'profile':'Edge'}" : ""
            let stale = await client.send(
                method, Self.place, body, headers: ["if-match": version])
            #expect(stale.status == 412)
        }
        let tag = ["if-match": second.headers["etag"] ?? ""]
        #expect(await client.send("DELETE", Self.place, headers: tag).status == 200)
        #expect(
            await client.send("PUT", Self.place, "{'profile':'Edge'}", headers: tag).status == 412)
        #expect(client.host.commands.count == 3)
    }

    @Test(arguments: [
        ("{'profile':'--help'}", 400, "cannot be a profile"),
        ("{'profile':'/etc/shadow'}", 400, "GET /v1/host/profiles"),
        ("{'profile':'../x.yaml'}", 400, "GET /v1/host/profiles"),
        ("{'profile':'3G','settings':['-v']}", 400, "cannot be a setting"),
        ("{'profile':'3G','for':'--x'}", 400, "cannot be a value of for"),
        ("{'profile':'3G','seed':-1}", 400, "seed"), ("{'profil':'3G'}", 400, "profil"),
        ("{}", 400, "profile: is missing"), ("[", 400, "not JSON"),
        ("{'profile':'a\\u0000b'}", 400, "cannot be a profile"),
    ])
    func `words that would be options, files or nonsense run nothing`(
        body: String, status: Int, message: String
    ) async {
        let client = await client()
        let answer = await client.send("PUT", Self.place, body)
        #expect(answer.status == status)
        #expect(answer.error.contains(message), "\(answer)")
        let option = await client.send(
            "PUT", "/v1/host/interfaces/--all/conditions/default", "{'profile':'3G'}")
        #expect(option.status == 400)
        #expect(client.host.commands.isEmpty)
    }

    @Test(arguments: [
        (Int32(64), "linkcond: eth9: no such interface (have: lo)", 404),
        (64, "linkcond: bad", 400), (69, "linkcond: lacks", 422), (77, "linkcond: root", 403),
        (74, "linkcond: /none: no such file", 400), (78, "linkcond: bad profile", 400),
        (70, "", 500),
    ])
    func `what the command line complains of becomes the answer`(
        code: Int32, message: String, status: Int
    ) async {
        let client = await client()
        let messages = message.isEmpty ? [] : ["note: first", message]
        client.host.fail(CommandResult(exitCode: code, messages: messages))
        let answer = await client.send("PUT", Self.place, "{'profile':'3G'}")
        #expect(answer.status == status)
        #expect(!answer.error.isEmpty && !answer.error.hasPrefix("linkcond: "))
    }

    @Test(arguments: [
        (
            [
                "note: first", "linkcond: --for 0 ms: has to be longer than nothing.",
                "Usage: linkcond apply [<options>] <profile>",
                "  See 'linkcond apply --help' for more information.",
            ], "--for 0 ms: has to be longer than nothing."
        ),
        (
            [
                "linkcond: The value 'x' is invalid for '--kind <kind>'. Please provide one of the "
                    + "following:", "  - wifi", "  - other", "Help:  --kind <kind>  Its kind.",
                "Usage: linkcond override set [-i <name> ...]", "       [--prefer | --no-prefer]",
                "  See 'linkcond override set --help' for more information.",
            ],
            "The value 'x' is invalid for '--kind <kind>'. Please provide one of the following: "
                + "wifi, other"
        ),
        (["Error: Unknown option '--x'", "Usage: x"], "Unknown option '--x'"),
        (["linkcond: /x: is read-only", "note: nothing was changed"], "/x: is read-only"),
        (["Fatal error", "note: more"], "Fatal error"),
    ])
    func `of a complaint about arguments, the answer has the cause, and not the usage`(
        messages: [String], cause: String
    ) async {
        let client = await client()
        for (method, path, body) in [
            ("PUT", Self.place, "{'profile':'3G','for':'0s'}"),
            ("PATCH", "/v1/host/interfaces/eth0/override", "{'kind':'x'}"),
            ("POST", "/v1/host/plays", "{'scenario':'Elevator','backend':'x'}"),
        ] {
            client.host.fail(CommandResult(exitCode: 64, messages: messages))
            let answer = await client.send(method, path, body)
            #expect(answer.status == 400)
            #expect(answer.error == cause)
        }
    }

    @Test func `overrides change only what is named`() async {
        let client = await client()
        let path = "/v1/host/interfaces/wlan0/override"
        let answer = await client.send("PATCH", path, "{'cost':'expensive','prefer':false}")
        #expect(answer.status == 200)
        #expect(await client.send("DELETE", path).status == 200)
        #expect(
            client.host.commands == [
                ["override", "set", "-i", "wlan0", "--cost", "expensive", "--no-prefer"],
                ["override", "clear", "-i", "wlan0"],
            ])
    }

    @Test func `which traffic, and which direction, is said as the status says it`() async {
        let client = await client()
        let answer = await client.send(
            "PUT", Self.place,
            "{'profile':'3G','selectors':['--port 443','--except to=192.0.2.1'],'force':true}")
        #expect(answer.status == 201)
        #expect(
            client.host.commands == [
                [
                    "apply", "3G", "-i", "eth0", "--port", "443", "--except", "to=192.0.2.1",
                    "--force",
                ]
            ])
        for selector in ["--netns x", "--port", "--port -v", "443"] {
            let answer = await client.send(
                "PUT", Self.place, "{'profile':'3G','selectors':['\(selector)']}")
            #expect(answer.status == 400, "\(selector)")
        }
    }

    @Test func `an answer says when its conditions were read, by the clock of the feed`() async {
        let client = await client()
        let before = KernelClock.monotonic / .milliseconds(1)
        let answer = await client.send("PUT", Self.place, "{'profile':'3G'}")
        guard case .number(let text)? = answer.json["atMilliseconds"], let time = Double(text)
        else { return #expect(Bool(false), "\(answer)") }
        #expect((before...KernelClock.monotonic / .milliseconds(1)).contains(time))
    }

    @Test func `a scenario is played until it is stopped, and is told to listeners`() async {
        let client = await client()
        let begun = await client.send(
            "POST", "/v1/host/plays", "{'scenario':'Elevator','interfaces':['cell0=eth0'],'seed':7}"
        )
        #expect(begun.status == 201)
        #expect(
            client.host.commands == [["play", "Elevator", "-i", "cell0=eth0", "--seed", "7"]])
        #expect(begun.json["isOver"] == false)
        #expect(begun.json["lines"] == .texts(["note: as told", "2.500 s  eth0: down"]))
        // Its clock began before its first event.
        guard case .number(let text)? = begun.json["beganAtMilliseconds"], let time = Double(text)
        else { return #expect(Bool(false), "\(begun)") }
        #expect(time <= KernelClock.monotonic / .milliseconds(1) - 2500)
        let events = await client.events("/v1/host/events")
        #expect(events.contains("event: plays\ndata: {\"plays\":[{\"id\":1,"), "\(events)")

        let ended = await client.send("DELETE", "/v1/host/plays/1")
        #expect(ended.json["isOver"] == true)
        #expect(ended.json["exitCode"] == .integer(130))
        #expect(await client.send("DELETE", "/v1/host/plays/2").status == 404)
        #expect(await client.send("GET", "/v1/host/scenarios/Elevator?seed=7").status == 200)
        #expect(await client.send("GET", "/v1/host/scenarios/LTE").status == 404)
    }

    @Test func `a scenario that somebody ends at once was not refused`() async {
        let client = await client()
        client.host.fail(CommandResult(exitCode: 130, messages: ["interrupted"]))
        let begun = await client.send("POST", "/v1/host/plays", "{'scenario':'Elevator'}")
        #expect(begun.status == 201, "\(begun)")
        #expect(begun.json["exitCode"] == .integer(130))
    }

    @Test func `what a scenario cannot do is said at once`() async {
        let client = await client()
        client.host.fail(
            CommandResult(exitCode: 64, messages: ["linkcond: eth0: is conditioned already"]))
        let answer = await client.send("POST", "/v1/host/plays", "{'scenario':'Elevator'}")
        #expect(answer.status == 400)
        #expect(answer.error == "eth0: is conditioned already")
        for name in ["../a", "/a.yaml", "a.yaml", "--seed"] {
            let answer = await client.send("POST", "/v1/host/plays", "{'scenario':'\(name)'}")
            #expect(answer.status == 400, "\(name)")
        }
    }

    @Test func `only reports that the feed tells of are shown, without the panel's rights`() async {
        let client = await client()
        let report = await client.send("GET", "/v1/host/programs/7/report")
        #expect(report.text == "<p>/tmp/report.html</p>")
        let policy = report.headers["content-security-policy"] ?? ""
        #expect(policy.hasPrefix("sandbox allow-scripts; default-src 'none';"))
        #expect(await client.send("GET", "/v1/host/programs/8/report").status == 404)
        #expect(await client.send("GET", "/v1/host/programs/9/report").status == 404)
    }

    @Test func `what is not there, or not so, is said`() async {
        let client = await client()
        #expect(await client.send("GET", Self.place).status == 404)
        #expect(await client.send("GET", "/v1/host/nothing").status == 404)
        #expect(await client.send("GET", "/v1/host/state?pid=9").status == 404)
        #expect(await client.send("GET", "/v1/host/events?pid=x").status == 400)
        let wrong = await client.send("POST", "/v1/host/profiles")
        #expect(wrong.status == 405)
        #expect(wrong.headers["allow"] == "GET")
        #expect(await client.send("GET", "/v1/host").json["mayChange"] == true)
    }

    @Test func `overrides alone are served elsewhere, and end with that`() async throws {
        let host = FakeHost()
        let api = OverrideAPI(host: host)
        func send(_ method: String, _ path: [String], _ body: String = "") async throws -> Int? {
            try await api.respond(to: APIRequest(method, "/", body: Array(body.utf8)), path)?.status
        }
        let place = ["v1", "host", "interfaces"]
        for name in ["eth0", "eth1", "eth2"] {
            let status = try await send(
                "PATCH", place + [name, "override"], #"{"cost": "expensive"}"#)
            #expect(status == 200)
        }
        #expect(try await send("DELETE", place + ["eth1", "override"]) == 200)
        #expect(try await send("GET", ["v1", "host", "overrides"]) == 200)
        // Its server changes nothing else of the host.
        #expect(try await send("GET", ["v1", "host", "conditions"]) == nil)
        #expect(try await send("PUT", place + ["eth0", "conditions", "default"], "{}") == nil)
        await api.end()
        #expect(host.commands.last == ["override", "clear", "-i", "eth0", "-i", "eth2"])
    }
}
