import LinkTesting
import LinuxKernel
import ProxyProtocols
import Testing

@Suite(.tags(.unit))
struct `A question for a name` {
    @Test func `goes to the servers of the files, for the names that they make`() {
        let files = ResolverFiles(
            configuration: """
                # a comment
                nameserver 192.0.2.53
                nameserver fe80::1%eth0
                nameserver fd00::53
                search corp.example example.org
                options ndots:2 timeout:3 attempts:1 edns0
                """, hosts: "192.0.2.1 host.linkcond other # not.this\nbad line\n")
        #expect(files.servers.map(\.description) == ["192.0.2.53", "fd00::53"])
        #expect(files.candidates(for: "a.b") == ["a.b.corp.example", "a.b.example.org", "a.b"])
        #expect(files.candidates(for: "a.b.c").first == "a.b.c")
        #expect(files.candidates(for: "a.") == ["a."])
        #expect(files.addresses(of: "HOST.linkcond.") == [IPAddress(ipv4: 0xc000_0201)])
        #expect(files.addresses(of: "not.this").isEmpty)
        #expect((files.timeout, files.attempts) == (.seconds(3), 1))
        #expect(
            ResolverFiles(configuration: "", hosts: "").servers.map(\.description) == ["127.0.0.1"])
    }
}
