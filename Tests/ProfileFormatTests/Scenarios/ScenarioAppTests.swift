import LinkTesting
import ProfileFormat
import Scenarios
import Testing

@Suite("The apps of a scenario file", .tags(.unit)) struct ScenarioAppTests {
    private static let head = """
        name: A
        interfaces: { wifi-a: { profile: WiFi }, cell-a: { profile: LTE }, wifi-b: { profile: WiFi } }

        """
    private static let apps = """
        apps:
          tabletA:
            { interfaces: [cell-a, wifi-a], command: [./app, -v], home: ./anna, user: anna, environment: { ACCOUNT: anna, N: 3 } }
          tabletB: { interfaces: [wifi-b], running: false, arguments: [--quiet, 2] }

        """
    private static let everything =
        head + apps + """
            timeline:
              - { at: 1 s, device: tabletA, app: suspend, for: 1 s }
              - { at: 3 s, device: tabletB, app: { relaunch: { home: /b, user: ben, environment: { ACCOUNT: ben }, arguments: [] } } }
              - { at: 4 s, device: tabletA, interface: wifi-a, down: true, exec: ./hook }
              - { at: 5 s, device: tabletB, app: { signal: USR1 } }
              - { at: 6 s, device: tabletB, expect: { interface: wifi-b, command: "test -e ~/note", within: 2 s } }
              - { at: end, device: tabletA, expect: { exit: 0 } }
            """

    @Test func `every key is read`() throws {
        let scenario = try readScenario(Self.everything)
        #expect(
            scenario.apps == [
                ScenarioApp(
                    name: "tabletA", interfaces: ["cell-a", "wifi-a"], command: ["./app", "-v"],
                    launch: LaunchOptions(
                        home: "./anna", user: "anna", environment: ["ACCOUNT": "anna", "N": "3"]),
                    line: 4),
                ScenarioApp(
                    name: "tabletB", interfaces: ["wifi-b"],
                    launch: LaunchOptions(arguments: ["--quiet", "2"]), isRunning: false, line: 6),
            ])
        #expect(
            scenario.entries.map { $0.descriptions.joined(separator: "; ") } == [
                "tabletA: suspend",
                "tabletB: relaunch (home /b, user ben, ACCOUNT=ben, arguments )",
                "wifi-a: down; tabletA: exec: ./hook", "tabletB: signal USR1",
                "tabletB: expect: interface wifi-b, test -e ~/note succeeds within 2 s",
                "tabletA: expect: exit 0",
            ])
    }

    @Test func `the schema knows every key`() async throws {
        try await JSONSchema("scenario").expectValid(try await json(of: Self.everything))
    }

    @Test func `events say of which device they are`() throws {
        #expect(
            Timeline(try readScenario(Self.everything), seed: 1).prefix(5).map(\.description) == [
                "tabletA: suspend", "tabletA: resume",
                "tabletB: relaunch (home /b, user ben, ACCOUNT=ben, arguments )", "wifi-a: down",
                "tabletA: exec: ./hook",
            ])
    }

    @Test func `the only device need not be named, and none without apps`() throws {
        let timeline = "timeline: [{ at: 1 s, app: { relaunch: { home: /b } } }]"
        let interfaces = "name: A\ninterfaces: { x: { profile: WiFi } }\n"
        let without = try readScenario(interfaces + timeline)
        #expect(without.entries.map(\.descriptions) == [["app: relaunch (home /b)"]])
        let one = try readScenario(interfaces + "apps: { a: { interfaces: [x] } }\n" + timeline)
        #expect(one.entries.map(\.descriptions) == [["a: relaunch (home /b)"]])
    }

    @Test(arguments: [
        (
            "apps: []",
            "3: apps: has to be a list of names, such as { tabletA: { interfaces: [wifi0] } }"
        ),
        (
            "apps: { a: { interface: wifi-a } }",
            "3: apps.a.interface: unknown key; did you mean interfaces?"
        ),
        (
            "apps: { a: { home: /a } }",
            "3: apps.a.interfaces: is missing; write interfaces: [wifi-a]"
        ),
        (
            "apps: { a: { interfaces: wifi-a } }",
            "3: apps.a.interfaces: has to be a list of words, such as [wifi0]"
        ),
        (
            "apps: { a: { interfaces: [wifi-c] } }",
            "3: apps.a.interfaces: wifi-c: no such interface; did you mean wifi-a?"
        ),
        (
            "apps: { a: { interfaces: [wifi-a, wifi-a] } }",
            "3: apps.a.interfaces: wifi-a is there twice; leave one out"
        ),
        (
            "apps: { a: { interfaces: [wifi-a, cell-a] }, b: { interfaces: [wifi-b, cell-a] } }",
            "3: apps.b.interfaces: cell-a belongs to a already; give each device an interface of its own"
        ),
        (
            "apps: { a: { interfaces: [wifi-a] }, b: { interfaces: [wifi-b] } }",
            "2: interfaces.cell-a: belongs to no device; add it to the interfaces of one of a, b"
        ),
        (
            "apps: { a b: { interfaces: [wifi-a] } }",
            "3: apps.a b: may have letters, digits, \"-\" and \"_\" and nothing else"
        ),
        (
            "apps: { a: { interfaces: [wifi-a], command: ./app } }",
            "3: apps.a.command: has to be a list of words, such as [sh, -c, 'echo \"$HOME\"']"
        ),
        (
            "apps: { a: { interfaces: [wifi-a], command: [] } }",
            "3: apps.a.command: has no program; write it, such as [./my-app, --verbose]"
        ),
        (
            "apps: { a: { interfaces: [wifi-a], command: [x], arguments: [y] } }",
            "3: apps.a.arguments: and command contradict each other; leave one out"
        ),
        (
            "apps: { a: { interfaces: [wifi-a], environment: { \"A=B\": c } } }",
            "3: apps.a.environment: \"A=B\": the name of a variable has no \"=\"; write NAME: value"
        ),
        (
            "apps: { a: { interfaces: [wifi-a], environment: [A=b] } }",
            "3: apps.a.environment: has to be a list of variables, such as { ACCOUNT: anna }"
        ),
        (
            "apps: { a: { interfaces: [wifi-a], home: /a, environment: { HOME: /b } } }",
            "3: apps.a.environment: HOME and home contradict each other; leave one out"
        ),
    ])
    func `what is wrong with an app is said`(apps: String, expected: String) {
        #expect(message(Self.head + apps) == "a.yaml:\(expected)")
    }

    @Test(arguments: [
        ("app: suspend", "app: on which device? write device: tabletA"),
        ("exec: ./hook", "exec: on which device? write device: tabletA"),
        ("expect: { isExpensive: true }", "expect: on which device? write device: tabletA"),
        ("device: tabletC, app: suspend", "device: tabletC: no such device; did you mean tabletA?"),
        ("device: tabletA, prefer: wifi-a", "device: belongs to app, exec, expect"),
        (
            "device: tabletA, expect: { interface: wifi-b }",
            "expect.interface: wifi-b belongs to tabletB, not to tabletA"
        ),
        (
            "device: tabletA, app: { relaunch: { home: /a, signal: x } }",
            "app.relaunch.signal: unknown key; known here: home, user, environment, arguments"
        ),
        (
            "device: tabletA, app: { relaunch: { home: /a }, signal: USR1 }",
            "app.signal: and relaunch are two actions; write two entries"
        ),
        (
            "device: tabletA, app: { relaunch: { environment: { A: [b] } } }",
            "app.relaunch.environment: A: has to be a single value, such as anna"
        ),
        (
            "device: tabletA, app: { relaunch: { environment: { A=: b } } }",
            "app.relaunch.environment: \"A=\": the name of a variable has no \"=\"; write NAME: value"
        ),
    ])
    func `what is wrong with an entry is said`(entry: String, expected: String) {
        let text = Self.head + Self.apps + "timeline:\n  - { at: 1 s, \(entry) }"
        #expect(message(text) == "a.yaml:8: \(expected)")
    }

    @Test func `a device of a scenario without apps is an error`() {
        #expect(
            message(Self.head + "timeline: [{ at: 1 s, device: a, app: suspend }]")
                == "a.yaml:3: device: a: no such device; list it under apps")
    }

    private func message(_ text: String) -> String? {
        #expect(throws: ProfileError.self, performing: { try readScenario(text) })?.description
    }
}
