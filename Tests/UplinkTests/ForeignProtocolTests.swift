import LinkTesting
import LinuxKernel
import Testing

@testable import Uplink

@Suite("Other protocols than TCP, UDP and ICMP", .tags(.contrary))
struct ForeignProtocolTests {
    @Test(.requiresNamespaces)
    func `are refused as by a host that does not know them, and counted`() async throws {
        try await TestSandbox.run { sandbox in
            for number in [47, 132] {
                for host in ["198.18.0.1", "192.0.2.1", "203.0.113.1"] {
                    let answer = try sandbox.app(
                        TestSandbox.peer("foreign_protocol \(host) \(number)"))
                    #expect(answer == "92\n", "ENOPROTOOPT from \(host)")
                }
                for host in ["fd00:6c63::1", "2001:db8::1"] {
                    let answer = try sandbox.app(
                        TestSandbox.peer("foreign_protocol \(host) \(number)"))
                    #expect(answer == "71\n", "EPROTO from \(host)")
                }
            }
            #expect(
                sandbox.relay.notes.contains { $0.contains("GRE (5 packets), SCTP (5 packets)") })
        }
    }

    @Test func `what the link has corrupted is not answered`() throws {
        let addresses = (IPAddress(ipv4: 0xc612_0002), IPAddress(ipv4: 0xc000_0201))
        let packet = IPPacket.packet(
            132, from: addresses.0, to: addresses.1, payload: [UInt8](repeating: 0, count: 12))
        #expect(ForeignPacket(packet)?.number == 132)
        for index in 0..<20 {
            var damaged = packet
            damaged[index] ^= 0x10
            #expect(ForeignPacket(damaged) == nil, "byte \(index)")
        }
        #expect(ForeignPacket(Array(packet.prefix(19))) == nil)
        #expect(ForeignPacket([]) == nil)
    }

    @Test func `the protocols that are carried are no others`() {
        let (source, destination) = (IPAddress(ipv4: 1), IPAddress(ipv4: 2))
        for number in [IPProtocol.tcp, IPProtocol.udp, IPProtocol.icmp] {
            let packet = IPPacket.packet(
                number, from: source, to: destination, payload: [UInt8](repeating: 0, count: 20))
            #expect(ForeignPacket(packet) == nil)
        }
    }

    @Test func `a flood is counted whole, and answered in part`() throws {
        let packet = try #require(
            ForeignPacket(
                IPPacket.packet(
                    47, from: IPAddress(ipv4: 1), to: IPAddress(ipv4: 2),
                    payload: [UInt8](repeating: 0, count: 8))))
        let counted = ForeignProtocols()
        let answered = (0..<5000).count { _ in counted.count(packet, at: .milliseconds(10)) }
        #expect(answered == 1000)
        #expect(counted.count(packet, at: .seconds(2)))
        #expect(counted.notes.contains { $0.contains("GRE (5001 packets)") })
        #expect(ForeignProtocols().notes.isEmpty)
    }
}
