import LinkTesting
import Testing

@testable import linkcond

/// What a shell is told, by value.
@Suite("Completion", .tags(.unit))
struct CompletionTests {
    private func words(_ typed: String...) -> [String] {
        CommandLineCompletion.answers(to: typed).compactMap {
            guard case .word(let word, _) = $0 else { return nil }
            return word
        }
    }

    @Test func `names complete in any case, each once`() {
        #expect(words("run", "lte") == ["LTE"])
        #expect(words("run", "LTE") == ["LTE"])
        #expect(words("show", "WEBPAGETEST/lte") == ["webpagetest/LTE"])
        #expect(words("show", "ELEVATOR") == ["Elevator"])
        #expect(words("apply", "no-such-profile").isEmpty)
    }

    @Test func `what candidates have in common is never less than what was typed`() {
        #expect(
            CommandLineCompletion.matches(["WiFi", "wifi-bad", "LTE"], "wif")
                == ["wifi", "wifi-bad"])
        #expect(CommandLineCompletion.matches(["WiFi", "LTE"], "wif") == ["WiFi"])
        #expect(CommandLineCompletion.matches(["LTE", "lte"], "") == ["LTE"])
    }

    @Test func `values behind commas keep those before`() {
        #expect(words("matrix", "--profiles", "3G,lte") == ["3G,LTE"])
        #expect(words("matrix", "--profiles=3G,lte") == ["--profiles=3G,LTE"])
        #expect(!words("matrix", "--profiles", "LTE,").contains("LTE,LTE"))
        #expect(words("run", "--interface", "wifi0=lt") == ["wifi0=LTE"])
        #expect(
            words("run", "--interface", "wifi0=LTE,kind=w") == [
                "wifi0=LTE,kind=wifi", "wifi0=LTE,kind=wired",
            ])
    }

    @Test func `options are offered once, unless they may be repeated`() {
        #expect(words("run", "--see") == ["--seed"])
        #expect(words("run", "--seed", "7", "--see").isEmpty)
        #expect(words("run", "--set", "down.loss=1%", "--se").contains("--set"))
        #expect(words("run", "--seed", "").isEmpty)
        #expect(words("run", "LTE", "").contains("--"))
        #expect(words("run", "--").contains("--pcap"))
        #expect(words("run", "--low-data", "o") == ["on", "off"])
    }

    @Test func `verbs complete at every level`() {
        #expect(words("ma") == ["matrix"])
        #expect(words("matrix", "m") == ["merge"])
        #expect(words("override", "s") == ["set", "show"])
        #expect(words("help", "override", "c") == ["clear"])
        #expect(!words("").contains("probe"))
        #expect(words("schema", "prof") == ["profile"])
    }

    @Test(
        arguments: [
            (["run", "./a"], .files(head: "")),
            (["run", "LTE", "--pcap", "x"], .files(head: "")),
            (["run", "LTE", "--pcap=x"], .files(head: "--pcap=")),
            (["matrix", "--scenarios", "commute,./a"], .files(head: "commute,")),
            (["matrix", "--report", ""], .directories(head: "")),
            (["run", "LTE", "--", "l"], .command(from: 4)),
            (["run", "--seed", "7", "LTE", "--", "make", "x"], .command(from: 6)),
        ] as [([String], CommandLineCompletion.Answer)])
    func `paths and commands are left to the shell`(
        words: [String], answer: CommandLineCompletion.Answer
    ) {
        #expect(CommandLineCompletion.answers(to: words) == [answer])
    }

    @Test(arguments: [[], [""], ["--"], ["nonsense", "--x=", "--", ""], ["list", "--", "x"]])
    func `nonsense gets an answer, too`(words: [String]) async throws {
        let result = try await runProcess(
            BuiltProduct.path(of: "linkcond"), ["---complete"] + words)
        #expect(result.exitCode == 0)
        #expect(result.standardError == "")
    }

    @Test func `the interfaces, namespaces and containers are those of this host`() {
        #expect(words("apply", "LTE", "-i", "l").contains("lo"))
        #expect(words("apply", "LTE", "--interface=lo") == ["--interface=lo"])
        #expect(words("clear", "--protocol", "x").isEmpty)
        #expect(words("apply", "LTE", "--protocol", "") == ["tcp", "udp", "icmp"])
    }
}
