import LinkTesting
import Testing

@testable import Sandbox

@Suite("Names in a sandbox", .tags(.unit))
struct HostNamesTests {
    static func names(hasUplink: Bool = true, hasServers: Bool = true) -> HostNames {
        HostNames(
            network: SandboxNetwork(number: 0), hasUplink: hasUplink, hasServers: hasServers)
    }

    @Test func `the sandbox's hosts stand before the caller's`() {
        let expected = """
            198.18.0.1 host.linkcond
            198.18.0.3 server.linkcond
            fd6c:696e:6b63::1 host.linkcond
            fd6c:696e:6b63::3 server.linkcond
            127.0.0.1 localhost

            """
        #expect(Self.names().hosts("127.0.0.1 localhost\n") == expected)
    }

    @Test func `what cannot be reached has no name`() {
        #expect(!Self.names(hasUplink: false).hosts("").contains(HostNames.host))
        #expect(!Self.names(hasServers: false).hosts("").contains(HostNames.server))
    }

    @Test func `the far side stands for each of the host's name servers, and options stay`() {
        let expected = """
            nameserver 198.18.0.1
            nameserver fd6c:696e:6b63::1
            # by hand
            search example.org
            options edns0

            """
        let text = """
            # by hand
            nameserver 127.0.0.53
              nameserver 192.0.2.1
            search example.org
            options edns0
            """
        #expect(Self.names().resolverConfiguration(text) == expected)
    }

    @Test(arguments: [
        (0, 1), (1, 1), (2, 2), (3, 3), (4, 3),
    ])
    func `there are as many name servers as the host has`(host: Int, expected: Int) {
        let text = (0..<host).map { "nameserver 192.0.2.\($0)\n" }.joined()
        let lines = Self.names().resolverConfiguration(text).split(separator: "\n")
        #expect(Set(lines).count == expected)
        #expect(lines.allSatisfy { $0.hasPrefix("nameserver ") })
    }

    @Test func `without uplink there is no name server`() {
        let text = "nameserver 192.0.2.1\noptions edns0\n"
        #expect(Self.names(hasUplink: false).resolverConfiguration(text) == "options edns0\n")
    }

    @Test func `host names come from files and DNS only`() {
        let text = "passwd: files systemd\nhosts: files resolve [!UNAVAIL=return] dns\n"
        #expect(Self.names().serviceSwitch(text) == "passwd: files systemd\nhosts: files dns\n")
        #expect(Self.names().serviceSwitch("a: x\n\nhosts: y") == "a: x\n\nhosts: files dns")
        #expect(Self.names().serviceSwitch("") == "")
    }

    @Test func `files that are missing are not replaced`() {
        let files = Self.names(hasUplink: false).replacements(
            reading: { ["/etc/hosts": "", "/etc/resolv.conf": ""][$0] }, isThere: { _ in false })
        #expect(files.keys.sorted() == ["/etc/hosts", "/etc/resolv.conf"])
        #expect(Self.names().replacements(reading: { _ in nil }, isThere: { _ in false }).isEmpty)
    }

    @Test func `where a cache answers the C library, nobody does`() {
        let files = Self.names().replacements(
            reading: { _ in nil }, isThere: { $0 == "/var/run/nscd/socket" })
        #expect(files == ["/var/run/nscd/socket": ""])
    }
}
