import LinkTesting
import Testing

@testable import SandboxRuns

@Suite("Proxies in the environment of a run", .tags(.unit))
struct ProxyVariablesTests {
    private static let remote = "http://proxy.example:3128"

    @Test(
        arguments: [
            ("http://127.0.0.1:3128/", "127.0.0.1"), ("localhost:3128", "localhost"),
            ("socks5h://user:secret@[::1]:1080", "::1"),
            ("http://a@b@proxy.example", "proxy.example"), ("proxy", "proxy"), ("", ""),
        ])
    func `the host of a proxy is found`(proxy: String, host: String) {
        #expect(ProxyVariables.host(of: proxy) == host)
    }

    @Test(
        arguments: [
            ("http_proxy", "http://127.0.0.1:3128", "http_proxy=http://host.linkcond:3128"),
            ("HTTPS_PROXY", "http://[::1]:3128", "HTTPS_PROXY=http://host.linkcond:3128"),
            (
                "http_proxy", "http://...@127.0.0.1:3128",
                "http_proxy=http://...@host.linkcond:3128"
            ), ("all_proxy", "socks5h://localhost:1080", "all_proxy=socks5h://host.linkcond:1080"),
        ])
    func `a proxy on the loopback is told, with what to write instead`(
        variable: String, value: String, remedy: String
    ) throws {
        let notes = ProxyVariables([variable: value]).notes(hasUplink: true)
        #expect(notes.count == 1)
        #expect(notes.first?.hasPrefix("\(variable) (\(value))") == true)
        #expect(notes.first?.hasSuffix("set \(remedy)") == true)
        let withoutUplink = ProxyVariables([variable: value]).notes(hasUplink: false)
        #expect(withoutUplink.first?.hasSuffix("unset it") == true)
    }

    @Test(arguments: ["http://user:secret@127.0.0.1:1", "user:secret@proxy.example:1"])
    func `a password is not told`(value: String) throws {
        let note = try #require(ProxyVariables(["http_proxy": value]).notes(hasUplink: true).first)
        #expect(note.contains("...@") && !note.contains("secret") && !note.contains("user"))
    }

    @Test(arguments: ["", "localhost", "example.com,host.linkcond", "notlinkcond"])
    func `a proxy elsewhere is told unless it is kept from the run's own names`(list: String) {
        let notes = ProxyVariables(["https_proxy": Self.remote, "no_proxy": list])
            .notes(hasUplink: true)
        #expect(notes.count == 1)
        let wanted = list.isEmpty ? ".linkcond" : "\(list),.linkcond"
        #expect(notes.first?.hasSuffix("no_proxy=\(wanted)") == true)
    }

    @Test(
        arguments: [
            "*", ".linkcond", "linkcond", "a, *.linkcond", "host.linkcond,server.linkcond",
        ])
    func `no_proxy that names them is enough`(list: String) {
        for name in ["no_proxy", "NO_PROXY"] {
            let variables = ProxyVariables(["http_proxy": Self.remote, name: list])
            #expect(variables.notes(hasUplink: true) == [])
        }
    }

    @Test func `without a proxy there is nothing to say`() {
        #expect(ProxyVariables([:]).notes(hasUplink: true) == [])
        #expect(ProxyVariables(["http_proxy": ""]).notes(hasUplink: true) == [])
    }
}
