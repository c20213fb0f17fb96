import LinkTesting
import LinuxKernel
import ProxyProtocols
import Testing

@Suite(.tags(.unit))
struct `A question for a name` {
    @Test func `is what name servers expect`() {
        #expect(
            DNSMessage.question(number: 0x1234, name: "db.example.", .aaaa)
                == [0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2] + "db".utf8 + [7] + "example".utf8
                + [0, 0, 28, 0, 1])
    }

    @Test(arguments: [
        "", ".", "a..b", String(repeating: "a", count: 64) + ".b",
        String(repeating: "abc.", count: 70),
    ])
    func `is not asked for what is no name`(name: String) {
        #expect(DNSMessage.question(number: 1, name: name, .a) == nil)
    }

    private let question: [UInt8] = [1, 0x61, 0, 0, 1, 0, 1]

    private func answer(_ code: UInt8, _ records: [[UInt8]]) -> [UInt8] {
        [0, 7, 0x81, 0x80 | code, 0, 1, 0, UInt8(records.count), 0, 0, 0, 0] + question
            + records.flatMap(\.self)
    }

    @Test func `is answered by addresses, among other records`() {
        let alias: [UInt8] = [0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 9, 0, 3, 1, 0x62, 0]
        let address: [UInt8] = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 192, 0, 2, 1]
        let found = DNSMessage.answer(answer(0, [alias, address]))
        #expect(found?.number == 7)
        #expect(found?.addresses == [IPAddress(ipv4: 0xc000_0201)])
        #expect(DNSMessage.answer(answer(3, []))?.isUnknownName == true)
        #expect(DNSMessage.answer(answer(2, []))?.isFailure == true)
    }

    @Test func `is not answered by what is damaged`() {
        let address: [UInt8] = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 192, 0, 2, 1]
        let whole = answer(0, [address])
        for count in 0..<whole.count {
            let found = DNSMessage.answer(Array(whole.prefix(count)))
            #expect(found?.addresses.isEmpty ?? true)
        }
    }

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
