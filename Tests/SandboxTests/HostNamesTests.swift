import Testing

@testable import Sandbox

@Suite("Names in a sandbox")
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

    @Test func `the far side is the only name server, and options stay`() {
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

    @Test func `host names come from files and DNS only`() {
        let text = "passwd: files systemd\nhosts: files resolve [!UNAVAIL=return] dns\n"
        #expect(Self.names().serviceSwitch(text) == "passwd: files systemd\nhosts: files dns\n")
    }

    @Test func `files that are missing are not replaced, and without uplink the resolver stays`() {
        let files = Self.names(hasUplink: false).replacements { path in
            ["/etc/hosts": "", "/etc/resolv.conf": ""][path]
        }
        #expect(files.keys.sorted() == ["/etc/hosts"])
        #expect(Self.names().replacements { _ in nil }.isEmpty)
    }
}
