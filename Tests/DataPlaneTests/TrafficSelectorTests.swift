import Foundation
import LinkTesting
import LinuxKernel
import Testing

@testable import DataPlane

@Suite("Traffic selectors", .tags(.unit))
struct TrafficSelectorTests {
    // MARK: Values

    @Test(
        "A network is read and written in one form",
        arguments: [
            ("192.0.2.7", "192.0.2.7"), ("192.0.2.7/32", "192.0.2.7"), ("10.0.0.0/8", "10.0.0.0/8"),
            ("0.0.0.0/0", "0.0.0.0/0"), ("128.0.0.0/1", "128.0.0.0/1"), ("::/0", "::/0"),
            ("2001:DB8::/32", "2001:db8::/32"), ("fe80::1/128", "fe80::1"),
            ("2001:db8:0:8000::/49", "2001:db8:0:8000::/49"),
            // Packets to it are of IPv4.
            ("::ffff:192.0.2.7", "192.0.2.7"),
        ])
    func networks(text: String, canonical: String) throws {
        let network = try IPNetwork(text, option: "--to")
        #expect(network.description == canonical)
        #expect(try IPNetwork(canonical, option: "--to") == network)
    }

    @Test(
        "A port or a range is read and written in one form",
        arguments: [("1", "1"), ("65535", "65535"), ("80-80", "80"), ("8000-8080", "8000-8080")])
    func ports(text: String, canonical: String) throws {
        #expect(try PortRange(text, option: "--port").description == canonical)
    }

    @Test("A range is cut into as few blocks as cover it, and nothing else")
    func blocks() throws {
        for text in ["80", "1-65535", "1-1023", "1000-2000", "1023-1025", "32768-65535", "65535"] {
            let range = try PortRange(text, option: "--port")
            let blocks = range.blocks
            // No packet has port 0.
            let wrong = (1...UInt16.max).first { port in
                blocks.count { port & $0.mask == $0.value }
                    != (range.first...range.last ~= port ? 1 : 0)
            }
            #expect(wrong == nil, "\(text)")
            #expect(blocks.count <= (range.first == 1 ? 1 : 30))
        }
    }

    // MARK: Mistakes

    static let mistakes: [(option: String, value: String, says: String)] = [
        (
            "--to", "10.0.0.1/8",
            "--to 10.0.0.1/8: has bits set behind the first 8; write 10.0.0.0/8 for the network, "
                + "or 10.0.0.1 for the host"
        ),
        (
            "--to", "10.0.0/8",
            "--to 10.0.0/8: is not an IPv4 or IPv6 address; write it like 192.0.2.7, "
                + "192.0.2.0/24 or 2001:db8::/32"
        ),
        (
            "--from", "192.0.2.0/33",
            "--from 192.0.2.0/33: behind the / belongs a number of bits from 0 to 32, as in "
                + "192.0.2.0/16"
        ),
        ("--to", "2001:db8::/129", "from 0 to 128"), ("--to", "192.0.2.0/", "from 0 to 32"),
        ("--to", "192.0.2.0/-1", "from 0 to 32"), ("--to", "192.0.2.0/+8", "from 0 to 32"),
        (
            "--from", "example.com",
            "--from example.com: is not an address; names are looked up for --to only: getent "
                + "ahosts NAME tells their addresses"
        ),
        ("--to", "", "nor the name of a host"), ("--to", "a..h", "nor the name of a host"),
        ("--to", "-a.example", "nor the name of a host"), ("--to", "10.1", "is not an IPv4"),
        ("--to", "a.example/24", "nor the name of a host"),
        ("--except", "to=a.example", "but not be excepted"),
        ("--to", "fe80::1%eth0", "leave %eth0 out; -i names the interface"),
        ("--port", "70000", "--port 70000: ports go from 1 to 65535"),
        ("--port", "0", "ports go from 1 to 65535"),
        ("--port", "90-80", "--port 90-80: ends before it begins; write 80-90"),
        ("--port", "http", "--port http: is not a port"), ("--port", "", "is not a port"),
        ("--port", "80-", "is not a port"), ("--port", "+80", "is not a port"),
        ("--port", "80,443", "is not a port"),
        (
            "--protocol", "sctp",
            "--protocol sctp: is not a protocol that can be chosen; there are tcp, udp and icmp"
        ),
        ("--protocol", "icmpv6", "icmp stands for ICMPv6 too"),
        (
            "--except", "22",
            "--except 22: 22 is no kind of exception; write KIND=VALUE with one of to, from, port, "
                + "to-port, from-port, protocol, as in port=22"
        ),
        ("--except", "user=0", "--cgroup and --process, but not be excepted"),
        ("--except", "cgroup=/a", "but not be excepted"),
        (
            "--cgroup", "/",
            "--cgroup /: is the root of all control groups, which has all programs; name one "
                + "below, as in /system.slice/nginx.service"
        ),
        ("--cgroup", "", "is the root"), ("--cgroup", "/sys/fs/cgroup/", "is the root"),
        ("--cgroup", "/a/../b", "is not a path that can be chosen"),
        ("--cgroup", "/a,b", "is not a path"), ("--cgroup", "/a b", "is not a path"),
        ("--cgroup", "/a\"b", "is not a path"), ("--cgroup", "/a\nb", "is not a path"),
        ("--cgroup", String(repeating: "/a", count: 257), "at most 512 bytes"),
        (
            "--user", "no such user",
            "--user no such user: this host has no such user (/etc/passwd); of a user from "
                + "elsewhere, such as LDAP, give the number, which id -u NAME prints"
        ),
        ("--user", "", "no such user"), ("--user", "-1", "no such user"),
        ("--user", "4294967295", "numbers of users go from 0 to 4294967294"),
        ("--user", "99999999999", "numbers of users go from 0 to 4294967294"),
        ("--except", "port", "--except port: port has no value; write it like port=22"),
        ("--except", "port=70000", "--except port=70000: port 70000: ports go from 1 to 65535"),
        ("--except", "to=10.0.0.1/8", "has bits set"), ("--except", "port=22,", "names nothing"),
        ("--except", "protocol=icmp,port=7", "icmp has no ports"),
        ("--except", "to=10.0.0.1,from=::1", "no packet goes between IPv4 and IPv6"),
    ]

    @Test(
        "A mistake is explained with the option, the value and what to write", arguments: mistakes)
    func mistake(option: String, value: String, says: String) {
        let error = #expect(throws: SelectorError.self) {
            switch option {
            case "--to": try TrafficSelector(to: [value])
            case "--from": try TrafficSelector(from: [value])
            case "--port": try TrafficSelector(ports: [value])
            case "--protocol": try TrafficSelector(protocols: [value])
            case "--cgroup": try TrafficSelector(groups: [value])
            case "--user": try TrafficSelector(users: [value])
            default: try TrafficSelector(exceptions: [value])
            }
        }
        let text = error?.description ?? ""
        // What ends in nothing stands in quotes, so that the nothing is seen.
        let named = ["\(option) \(value): ", "\(option) \"\(value)\": "]
        #expect(named.contains { text.hasPrefix($0) } && text.contains(says), "\(text)")
    }

    @Test("Choices that no packet can fit are refused")
    func contradictions() {
        func text(_ body: () throws -> TrafficSelector) -> String {
            do {
                return "\(try body())"
            } catch {
                return "\(error)"
            }
        }
        #expect(
            text { try TrafficSelector(ports: ["80"], protocols: ["tcp", "icmp"]) }
                == "--protocol icmp: icmp has no ports; choose it with another --name, or leave "
                + "the ports out")
        #expect(
            text { try TrafficSelector(to: ["10.0.0.1"], from: ["::1"]) }
                == "--to and --from: no packet goes between IPv4 and IPv6; give both ends of the "
                + "same version")
        #expect(
            text { try TrafficSelector(family: .ipv4, to: ["2001:db8::/32"]) }
                == "--family ipv4: contradicts the addresses of --to and --from; leave it out")
    }

    // MARK: Texts

    static let selectors: [TrafficSelector] = {
        let texts = [
            "", "to=10.0.0.0/8", "family=ipv6", "family=ipv4,port=80-90,protocol=tcp", ";port=22",
            "to=10.0.0.0/8,to=2001:db8::/32,from=::1,port=1,to-port=2,from-port=3,protocol=udp",
            "protocol=icmp;to=192.0.2.1;to=::1,port=22,protocol=tcp", ";port=22;protocol=icmp",
            "user=0", "to=::1,user=1000,user=33;port=22", "user=0,cgroup=/a/b\\x2dc.scope",
            "to=192.0.2.1,to=a.example,port=1",
            "process=a%20b%2c%3b%3d%25%c3%a9,process=python3",
        ]
        return texts.compactMap { TrafficSelector(text: $0) }
    }()

    @Test("A selector survives its text, and the text has no blanks")
    func texts() {
        #expect(Self.selectors.count == 13)
        for selector in Self.selectors {
            #expect(TrafficSelector(text: selector.text) == selector)
            #expect(!selector.text.contains(" "))
            #expect(selector.isSelective == !(selector.text.isEmpty || selector.text.first == ";"))
        }
        for text in [
            "x", "to=", "to=10.0.0.1/8", "family=ipv5", "to=10.0.0.0/8,~", "port=2~",
            ";user=0", "user=", "user=-1", "process=", "process=a%2fb", "process=a%2",
            "process=%zz", ";process=a",
        ] {
            #expect(TrafficSelector(text: text) == nil, "\(text)")
        }
    }

    @Test("A user is chosen by name or by number, and shown by number")
    func users() throws {
        let selector = try TrafficSelector(users: ["root", "4011101"])
        #expect(selector.commandLine == ["--user 0", "--user 4011101"])
        #expect(selector.isSelective && selector.choosesOwners)
    }

    @Test(
        "A control group is named by its path, or by that of its directory",
        arguments: ["/a/b", "a/b", "/a//b/", "/sys/fs/cgroup/a/b"])
    func groups(text: String) throws {
        let selector = try TrafficSelector(groups: [text])
        #expect(selector.commandLine == ["--cgroup /a/b"])
        #expect(selector.included.groups.map(\.level) == [2])
        #expect(selector.isSelective && selector.choosesOwners)
    }

    @Test("A program is chosen by a name as people see it, and told as such")
    func processes() throws {
        let selector = try TrafficSelector(processes: ["Web Content", "a;b,c=d%é"])
        #expect(selector.commandLine == ["--process Web Content", "--process a;b,c=d%é"])
        #expect(selector.isSelective && selector.choosesOwners)
        for name in ["", "/usr/bin/curl", "a/", "a\nb", String(repeating: "x", count: 256)] {
            #expect(throws: SelectorError.self) { try TrafficSelector(processes: [name]) }
        }
        #expect(throws: SelectorError.self) {
            try TrafficSelector(processes: (0...ProcessName.mostAtOnce).map { "p\($0)" })
        }
    }

    @Test("A name stands for the addresses that it has, which a sender tells")
    func names() throws {
        var selector = try TrafficSelector(to: ["A.example.", "192.0.2.1"])
        #expect(selector.commandLine == ["--to 192.0.2.1", "--to a.example"])
        #expect(selector.hasNames && selector.isSelective && selector.families.count == 2)
        let name = try #require(HostName("a.example"))
        let addresses = ["192.0.2.1", "2001:db8::1"].compactMap { IPAddress($0) }
        let found = selector.resolved(by: [name: addresses])
        #expect(found?.commandLine == ["--to 192.0.2.1", "--to 2001:db8::1"])
        selector.addresses = [name: addresses]
        let data = try JSONEncoder().encode(selector)
        #expect(try JSONDecoder().decode(TrafficSelector.self, from: data) == selector)
        let lone = try TrafficSelector(to: ["b.example"])
        #expect(lone.resolved(by: selector.addresses) == nil)
        #expect(lone.overlaps(selector))
    }

    @Test("Exceptions are written with = or, in quotes, with a blank")
    func exceptions() throws {
        #expect(
            try TrafficMatch(exception: "port 22") == TrafficMatch(exception: "port=22"))
        #expect(
            try TrafficSelector(to: ["10.0.0.0/8"], exceptions: ["port 22"]).commandLine
                == ["--to 10.0.0.0/8", "--except port=22"])
    }

    @Test("Selectors overlap where a packet may fit both")
    func overlaps() throws {
        func selector(_ text: String) throws -> TrafficSelector {
            try #require(TrafficSelector(text: text))
        }
        let overlapping = [
            ("", "to=10.0.0.0/8"), ("to=10.0.0.0/8", "to=10.1.0.0/16"), ("port=80", "to=::1"),
            ("to=10.0.0.0/8", "from=10.0.0.0/8"), ("port=80-90", "port=90"), ("port=1", "port=2"),
            ("family=ipv6", "port=80"), ("protocol=udp", "port=80"), ("", ""),
            ("user=0", "port=1"), ("user=0,user=1", "user=1,user=2"),
            ("cgroup=/a", "cgroup=/a/b"), ("cgroup=/a", "user=1"), ("cgroup=/a", "cgroup=a"),
        ]
        for (left, right) in overlapping {
            #expect(try selector(left).overlaps(selector(right)), "\(left) \(right)")
            #expect(try selector(right).overlaps(selector(left)), "\(right) \(left)")
        }
        let apart = [
            ("to=10.0.0.0/8", "to=11.0.0.0/8"), ("to=10.0.0.0/8", "to=::1"),
            ("to-port=80", "to-port=81"), ("protocol=icmp", "port=80"),
            ("family=ipv4", "to=::1"), ("family=ipv4", "family=ipv6"),
            ("user=0", "user=1"), ("cgroup=/a", "cgroup=/ab"), ("cgroup=/a/b", "cgroup=/a/c"),
        ]
        for (left, right) in apart {
            #expect(try !selector(left).overlaps(selector(right)), "\(left) \(right)")
        }
    }

    // MARK: SSH

    @Test("An SSH session excepts its two ends, and they alone")
    func sshSession() throws {
        let session = try SSHSession("203.0.113.9 51234 192.0.2.1 22")
        #expect(
            session.exception.text
                == "to=203.0.113.9,from=192.0.2.1,to-port=51234,from-port=22,protocol=tcp")
        #expect(
            try SSHSession("::ffff:203.0.113.9 51234 ::ffff:192.0.2.1 22") == session,
            "an IPv6 socket shows IPv4 so")
        #expect(
            try SSHSession("fe80::2%eth0 5 fe80::1%eth0 22").exception.to.map(\.isHost) == [true])
    }

    @Test(
        "What names no session is an error with the way out",
        arguments: ["", "UNKNOWN 0 UNKNOWN 0", "1.2.3.4 5 6.7.8.9", "1.2.3.4 0 6.7.8.9 22"])
    func badSession(value: String) {
        let error = #expect(throws: SelectorError.self) { try SSHSession(value) }
        #expect(error?.description.contains("--no-ssh-guard") == true)
        #expect(error?.description.contains("\"\(value)\"") == true)
    }

    @Test("The session is found in the environment before that of other processes")
    func sessionVariable() {
        let value = "203.0.113.9 51234 192.0.2.1 22"
        #expect(SSHSession.variable(in: ["SSH_CONNECTION": value]) == value)
    }
}
