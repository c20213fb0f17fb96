import Foundation
import LinkTesting
import Testing

@testable import Network

@Suite("Parameters", .tags(.unit)) struct ParametersTests {
    @Test func `each kind has its protocols`() {
        #expect(NWParameters.tcp.defaultProtocolStack.tcp != nil)
        #expect(!NWParameters.tcp.defaultProtocolStack.isSecure)
        #expect(NWParameters.tls.defaultProtocolStack.isSecure)
        #expect(NWParameters.udp.defaultProtocolStack.isDatagram)
        #expect(NWParameters.dtls.defaultProtocolStack.isSecure)
        #expect("\(NWParameters.tls)" == "tls, tcp" && "\(NWParameters.udp)" == "udp")
    }

    @Test func `a copy changes by itself`() throws {
        let original = NWParameters.tls
        original.prohibitExpensivePaths = true
        let copy = original.copy()
        #expect(copy.prohibitExpensivePaths && copy.defaultProtocolStack.isSecure)
        copy.prohibitExpensivePaths = false
        copy.prohibitedInterfaceTypes = [.cellular]
        try #require(copy.defaultProtocolStack.tcp).noDelay = true
        let tls = try #require(copy.defaultProtocolStack.tls)
        sec_protocol_options_add_tls_application_protocol(tls.securityProtocolOptions, "h2")
        #expect(original.prohibitExpensivePaths && original.prohibitedInterfaceTypes == nil)
        #expect(original.defaultProtocolStack.tcp?.noDelay == false)
        let own = original.defaultProtocolStack.tls?.securityProtocolOptions.values
        #expect(own?.protocols == [] && tls.securityProtocolOptions.values.protocols == ["h2"])
    }

    @Test func `the version of IP is set in the stack`() throws {
        let parameters = NWParameters.udp
        let stack = parameters.defaultProtocolStack
        let ip = try #require(stack.internetProtocol as? NWProtocolIP.Options)
        ip.version = .v4
        #expect(parameters.copy().defaultProtocolStack.ip.version == .v4)
    }

    @Test func `options become settings of the socket`() {
        let tcp = NWProtocolTCP.Options()
        let plain = SocketSetting.all(of: NWParameters(tls: nil, tcp: tcp), interface: nil)
        (tcp.enableKeepalive, tcp.keepaliveIdle, tcp.connectionDropTime) = (true, 30, 2)
        let parameters = NWParameters(tls: nil, tcp: tcp)
        parameters.allowLocalEndpointReuse = true
        let settings = SocketSetting.all(of: parameters, interface: nil)
        // Nagle's algorithm, as the system has it.
        #expect(plain.map(\.value) == [0])
        #expect(settings.contains(.reuse))
        #expect(settings.map(\.value).sorted() == [0, 1, 1, 30, 2000])
        let wifi = NWParameters.udp
        let interface = Interfaces.wifi
        #expect(SocketSetting.all(of: wifi, interface: interface) == [.bound(to: 2)])
    }

    @Test func `neighbors share the network`() {
        let local = NWEndpoint.Host("2001:db8:0:1::1")
        for near in ["2001:db8:0:1:2::3", "fe80::1", "::1"] {
            #expect(NWEndpoint.Host(near).mayBeNeighbor(of: local))
        }
        #expect(!NWEndpoint.Host("2001:db8:0:2::1").mayBeNeighbor(of: local))
    }

    @Test func `errors say what they mean`() {
        #expect("\(NWError.posix(.ENETDOWN))" == "POSIXErrorCode(rawValue: 100): Network is down")
        #expect("\(NWError.dns(Int32(kDNSServiceErr_NoSuchRecord)))" == "-65554: NoSuchRecord")
        #expect("\(NWError.tls(errSSLXCertChainInvalid))" == "-9807: invalid certificate chain")
        let error: any Error = NWError.posix(.ECONNREFUSED)
        #expect(error.localizedDescription.contains("Connection refused"))
    }
}
