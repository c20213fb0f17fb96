import Foundation
import KernelPlane
import LinkTesting
import Testing

/// What a user may get wrong: one line that says what and what to do, the right exit code, and
/// nothing changed.
@Suite("Bad input")
struct BadInputTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        let exitCode: Int32
        let message: String
        var testDescription: String { arguments.joined(separator: " ") }

        init(_ arguments: String..., exitCode: Int32, says message: String) {
            self.arguments = arguments
            self.exitCode = exitCode
            self.message = message
        }
    }

    static let cases = [
        Case("apply", "LTF", exitCode: 64, says: "LTF: no such profile; did you mean LTE?"),
        Case(
            "apply", "nothing-like-it", exitCode: 64,
            says: "nothing-like-it: no such profile; linkcond list shows them"),
        Case(
            "apply", "LTE", "-i", "wlan9", exitCode: 64,
            says: "wlan9: no such interface (have: lo, "),
        Case(
            "apply", "LTE", "-i", "a-name-longer-than-the-kernel-takes", exitCode: 64,
            says: "a-name-longer-than-the-kernel-takes: no such interface"),
        Case("apply", "LTE", "-i", "", exitCode: 64, says: ": no such interface"),
        Case(
            "run", "LTE", "--stats", "/tmp/a", "--pcap", "/tmp/./b/../a", "--", "true",
            exitCode: 64, says: "cannot write to the same file"),
        Case(
            "run", "LTE", "--publish", "8080:80", "--publish", "127.0.0.1:8080:81", "--", "true",
            exitCode: 64, says: "want the same port of this host"),
        Case(
            "explain", "/tmp/a.pcapng", "--html", "/tmp//a.pcapng", exitCode: 64,
            says: "would replace the capture"),
        Case(
            "apply", "LTE", "--set", "down.loss=200%", exitCode: 64,
            says: "--set down.loss=200%: \"200%\" is more than 100%"),
        Case(
            "apply", "LTE", "--set", "down.delay=50", exitCode: 64,
            says: "--set down.delay=50: \"50\" has no unit; write \"50 ms\""),
        Case(
            "apply", "LTE", "--set", "down.delay=-5 ms", exitCode: 64, says: "is negative"),
        Case("apply", "LTE", "--set", "down.speed=1 Mbit/s", exitCode: 64, says: "unknown key"),
        Case("apply", "LTE", "--set", "down", exitCode: 64, says: "has no value"),
        Case(
            "apply", "LTE", "--set", "down.bandwidth=unlimited", "--set", "down.queue=5 packets",
            exitCode: 64, says: "nothing queues where no bandwidth limits"),
        Case("apply", exitCode: 64, says: "Missing expected argument '<profile>'"),
        Case("apply", "LTE", "--direction", "left", exitCode: 64, says: "left"),
        Case(
            "apply", "LTE", "--direction", "down", "--set", "up.loss=2%", exitCode: 64,
            says: "--set up.loss=2% changes nothing with --direction down"),
        Case("run", "LTE", "--stats", "", "true", exitCode: 64, says: "name of a file"),
        Case("apply", "./nowhere.yaml", exitCode: 74, says: "./nowhere.yaml: no such file"),
        Case("apply", "/", exitCode: 74, says: "/: is not a file"),
        Case(
            "apply", "LTE", "--to", "10.0.0.1/8", exitCode: 64,
            says: "--to 10.0.0.1/8: has bits set behind the first 8; write 10.0.0.0/8"),
        Case(
            "apply", "LTE", "--to", "10.0.0.0/33", exitCode: 64,
            says: "behind the / belongs a number of bits from 0 to 32, as in 10.0.0.0/16"),
        Case(
            "apply", "LTE", "--port", "70000", exitCode: 64,
            says: "--port 70000: ports go from 1 to 65535"),
        Case("apply", "LTE", "--protocol", "sctp", exitCode: 64, says: "--protocol sctp: is not"),
        Case("apply", "LTE", "--except", "22", exitCode: 64, says: "write KIND=VALUE"),
        Case(
            "apply", "LTE", "--name", "two words", exitCode: 64,
            says: "--name two words: a name has 1 to 32 letters"),
        Case(
            "clear", "--name", "api", exitCode: 64,
            says: "api: there are no conditions of this name"),
        Case("clear", "--all", "--name", "api", exitCode: 64, says: "contradict"),
        Case("clear", "-i", "wlan9", exitCode: 64, says: "wlan9: no such interface"),
        Case(
            "apply", "LTE", "--set", "middle={ dns: down }", exitCode: 69,
            says: "what stands in the middle (middle:) works in linkcond run only"),
        Case(
            "apply", "LTE", "--dry-run", "--backend", "engine", "--set", "middle={ mss: 1360 }",
            exitCode: 69, says: "what stands in the middle (middle:) works in linkcond run only"),
        Case(
            "play", "cgn", "-i", "wifi0=eth0", exitCode: 64,
            says: "Carrier-Grade NAT: something stands in the middle of a link (middle:)"),
        Case("clear", "--all", "-i", "eth0", exitCode: 64, says: "contradict"),
        Case("conquer", exitCode: 64, says: "conquer"),
    ]

    @Test("A wrong argument is explained", .tags(.anyKernel), arguments: cases)
    func wrongArgument(_ wrong: Case) async throws {
        try await TestNetwork.with { network in
            let before = try await network.state()
            let result = try await network.linkcond(wrong.arguments)
            #expect(result.exitCode == wrong.exitCode)
            #expect(result.standardError.hasPrefix("linkcond: "))
            #expect(result.standardError.contains(wrong.message), "\(result.standardError)")
            #expect(result.standardOutput == "")
            try await network.expectUnchanged(since: before)
        }
    }

    struct File: Sendable, CustomTestStringConvertible {
        let name: String
        let content: Data
        let message: String
        var testDescription: String { name }

        init(_ name: String, _ text: String, says message: String) {
            self.init(name, Data(text.utf8), says: message)
        }

        init(_ name: String, _ content: Data, says message: String) {
            self.name = name
            self.content = content
            self.message = message
        }
    }

    static let files = [
        File("unit.yaml", "name: x\ndown:\n  delay: 50\n", says: "unit.yaml:3: down.delay:"),
        File("negative.yaml", "name: x\nup: { delay: -5 ms }\n", says: "is negative"),
        File("loss.yaml", "name: x\nup: { loss: 200% }\n", says: "loss.yaml:2: up.loss:"),
        File("key.yaml", "name: x\ndwn: { loss: 2% }\n", says: "did you mean down?"),
        File("empty.yaml", "", says: "empty.yaml: is empty"),
        File("binary.yaml", Data((0..<512).map { UInt8($0 & 255) }), says: "is not a text"),
        File(
            "huge.yaml", Data(repeating: 0x61, count: 10_000_000), says: "is larger than 64 KiB"),
    ]

    @Test("A bad profile file is explained with its line", .tags(.anyKernel), arguments: files)
    func badFile(_ bad: File) async throws {
        try await withTemporaryDirectory { directory in
            let path = try directory.write(bad.content, to: bad.name)
            try await TestNetwork.with { network in
                let before = try await network.state()
                let result = try await network.linkcond("apply", path)
                #expect(result.exitCode == 78)
                #expect(result.standardError.contains(bad.message), "\(result.standardError)")
                #expect(result.standardError.filter { $0 == "\n" }.count == 1)
                try await network.expectUnchanged(since: before)
            }
        }
    }

    @Test("A name that conditions have already is refused, and they stay", .requiresDataPlane)
    func takenName() async throws {
        try await TestNetwork.with { network in
            try await network.mustRun("apply", "LTE", "--name", "api", "--to", "192.0.2.0/24")
            let before = try await network.state()
            let result = try await network.linkcond(
                "apply", "3G", "--name", "api", "--to", "198.51.100.0/24")
            #expect(result.exitCode == 64)
            for words in ["eth0: ", " already", "api", "apple/LTE", "use --replace to change"] {
                #expect(result.standardError.contains(words), "\(result.standardError)")
            }
            try await network.expectUnchanged(since: before)
            try await network.mustRun("clear", "--name", "api")
        }
    }

    @Test("A network namespace that is gone is named, also where its file is left")
    func namespaceGone() async throws {
        let name = "lctest-gone-\(ProcessInfo.processInfo.processIdentifier)-bad"
        let apply = ["apply", "LTE", "-i", "lo", "--netns", name]
        let program = try TestNetwork.program()
        _ = try await runProcess("ip", ["netns", "add", name])
        _ = try await runProcess("ip", ["netns", "del", name])
        let gone = try await runProcess(program, apply)
        #expect(gone.exitCode == 64 && gone.standardError.contains("no such network namespace"))
        // What is left where a namespace was unmounted.
        let file = "/run/netns/" + name
        try Data().write(to: URL(filePath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        let unmounted = try await runProcess(program, apply)
        #expect(unmounted.exitCode == 64)
        #expect(unmounted.standardError.contains("is not a network namespace, or not any more"))
    }

    @Test("A session that cannot be read is named, with the way to go on without")
    func unknownSession() async throws {
        try await TestNetwork.with { network in
            let before = try await network.state()
            let result = try await network.run(
                "env",
                ["SSH_CONNECTION=UNKNOWN", try TestNetwork.program(), "apply", "LTE", "--dry-run"])
            #expect(result.exitCode == 64)
            #expect(
                result.standardError.contains("SSH_CONNECTION \"UNKNOWN\": names no session"))
            #expect(result.standardError.contains("--no-ssh-guard goes on without"))
            try await network.expectUnchanged(since: before)
        }
    }

    @Test("An interface that is down is named, with the command that brings it up")
    func interfaceDown() async throws {
        try await TestNetwork.with { network in
            try await network.batch("link set eth0 down", in: network.app)
            let before = try await network.state()
            let result = try await network.linkcond("apply", "LTE", "-i", "eth0")
            #expect(result.exitCode == 69)
            #expect(result.standardError.contains("ip link set eth0 up"))
            try await network.expectUnchanged(since: before)
        }
    }

    @Test("Without a default route the interface has to be named")
    func noDefaultRoute() async throws {
        try await TestNetwork.with { network in
            try await network.batch("route del default", in: network.app)
            let result = try await network.linkcond("apply", "LTE")
            #expect(result.exitCode == 64)
            #expect(result.standardError.contains("name one with -i"))
        }
    }

    @Test("Without privilege apply and clear say that sudo helps", arguments: ["apply", "clear"])
    func noPrivilege(verb: String) async throws {
        try await TestNetwork.with { network in
            let before = try await network.state()
            let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"]
            let arguments = verb == "apply" ? ["apply", "LTE"] : ["clear"]
            let result = try await network.run(
                "setpriv", nobody + [try TestNetwork.program()] + arguments)
            #expect(result.exitCode == 77)
            #expect(result.standardError.contains("run it with sudo"))
            try await network.expectUnchanged(since: before)
        }
    }

    @Test("Status needs no privilege")
    func unprivilegedStatus() async throws {
        try await TestNetwork.with { network in
            let result = try await network.run(
                "setpriv",
                ["--reuid=65534", "--regid=65534", "--clear-groups", try TestNetwork.program()]
                    + ["status"])
            #expect(result.exitCode == 0 && result.standardOutput == "Nothing is conditioned.\n")
        }
    }

    @Test(
        "Without netem the kernel's data plane says what is missing and changes nothing",
        .requiresAbsence(of: .netem)
    )
    func noNetem() async throws {
        try await TestNetwork.with { network in
            let before = try await network.state()
            let result = try await network.linkcond("apply", "LTE", "--backend", "kernel")
            #expect(result.exitCode == 69)
            #expect(result.standardError.contains("this kernel lacks sch_netem"))
            #expect(result.standardError.contains("linkcond doctor"))
            try await network.expectUnchanged(since: before)

            let doctor = try await network.linkcond("doctor")
            // The packet engine needs nothing of that.
            #expect(doctor.exitCode == 0)
            #expect(doctor.standardOutput.contains("CONFIG_NET_SCH_NETEM"))
            try await JSONSchema("doctor").expectValid(
                try await network.mustRun("doctor", "--json"))
        }
    }

    @Test("A dry run prints the commands and needs neither privilege nor netem")
    func dryRun() async throws {
        try await TestNetwork.with { network in
            let before = try await network.state()
            let result = try await network.run(
                "setpriv",
                ["--reuid=65534", "--regid=65534", "--clear-groups", try TestNetwork.program()]
                    + ["apply", "LTE", "--dry-run"])
            #expect(result.exitCode == 0)
            #expect(result.standardOutput.contains("tc qdisc add dev eth0 clsact"))
            try await network.expectUnchanged(since: before)
        }
    }

    @Test("A dry run says what the kernel lacks exactly where apply would fail for it")
    func dryRunWithoutNetem() async throws {
        try await TestNetwork.with { network in
            let apply = ["apply", "LTE", "--backend", "kernel"]
            let dry = try await network.linkcond(apply + ["--dry-run"])
            #expect(dry.exitCode == 0 && dry.standardOutput.contains("netem"), "\(dry)")
            let applied = try await network.linkcond(apply)
            #expect([0, 69].contains(applied.exitCode), "\(applied)")
            let note = "note: apply would fail here: this kernel lacks sch_netem"
            #expect(dry.standardError.contains(note) == (applied.exitCode == 69), "\(dry)")
            #expect(dry.standardError.contains("would fail") == (applied.exitCode == 69), "\(dry)")
            if applied.exitCode == 0 { try await network.mustRun("clear") }
        }
    }

    @Test("The commands of a dry run do what apply does", .requiresKernel(.netem))
    func dryRunIsEquivalent() async throws {
        try await TestNetwork.with { network in
            let script = try await network.mustRun(
                "apply", "high-loss", "--set", "dns.delay=1 s", "--dry-run")
            let byHand = try await network.run("sh", ["-ec", script])
            #expect(byHand.exitCode == 0, "\(byHand.standardError)")
            // Handles of prio's bands, interface addresses and running rates differ each time.
            let handState = try await network.comparableState()
            #expect(try await network.status().conditioned.first?.defect == nil)
            try await network.mustRun("clear")
            try await network.mustRun("apply", "high-loss", "--set", "dns.delay=1 s")
            #expect(try await network.comparableState() == handState)
        }
    }
}

extension TestNetwork {
    /// Qdiscs and filters as `tc` shows them, without what differs each time.
    func comparableState() async throws -> String {
        let script = """
            tc qdisc show; ip -br link | cut -d' ' -f1
            for i in lcu100 lcd100; do tc filter show dev $i; done
            tc filter show dev eth0 ingress; tc filter show dev eth0 egress
            """
        let text = try await run("sh", ["-c", script]).standardOutput
        return text.replacing(/index [0-9]+/, with: "")
    }
}
