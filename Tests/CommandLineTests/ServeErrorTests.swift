import LinkTesting
import Testing

@Suite("Errors of serve", .tags(.unit)) struct ServeErrorTests {
    @Test(arguments: [
        ("10.99.0.1:99999", "\"99999\" is no port from 0 to 65535"),
        ("10.99.0.1:http", "\"http\" is no port"), ("10.99.0.1:", "\"\" is no port"),
        ("10.99.0.1", "the port is missing"), ("[::1]", "the port is missing"),
        ("fd00::1", "the port is missing"), ("8475", "the port is missing"),
        ("1:2:3:4:5:6:7:8:443", "an IPv6 address needs brackets"),
        ("host.example:443", "\"host.example\" is no address"), (":443", "\"\" is no address"),
        ("300.1.1.1:443", "\"300.1.1.1\" is no address"), ("unix:/run/x", "no Unix sockets"),
    ])
    func `an address that is none is refused before anything starts`(
        address: String, reason: String
    ) async throws {
        let result = try await runLinkcond("serve", "--insecure", "--listen", address)
        #expect(result.exitCode == 64)
        let first = result.standardError.prefix { $0 != "\n" }
        #expect(first.contains("--listen") && first.contains(reason), "\(result.standardError)")
        #expect(first.contains("such as 192.0.2.1:443"), "\(first)")
        #expect(!result.standardError.contains("linkcond-api"))
        #expect(result.standardOutput == "")
    }

    @Test(arguments: [
        "", "a b", "lab.example:8475", "http://lab.example", "é.example", "[::1]",
    ])
    func `a name that is none is refused`(name: String) async throws {
        let result = try await runLinkcond(
            "serve", "--host-name", "lab.example", "--host-name", name)
        #expect(result.exitCode == 64)
        #expect(
            result.standardError.contains("\"\(name)\" is no name of a host"),
            "\(result.standardError)")
        #expect(!result.standardError.contains("linkcond-api"))
    }
}
