public import LinuxKernel

/// The PROXY protocol of HAProxy, which tells a server who its client's client is
/// (proxy-protocol.txt, sections 2.1 and 2.2).
public enum ProxyHeader {
    private static let signature: [UInt8] = [
        0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a,
    ]

    /// The line of version 1; without ends, or with ends of two families: of an unknown client.
    public static func v1(from client: Endpoint?, to listener: Endpoint?) -> [UInt8] {
        guard let (client, listener) = ends(client, listener) else {
            return Array("PROXY UNKNOWN\r\n".utf8)
        }
        let family = client.address.isIPv6 ? "TCP6" : "TCP4"
        let line =
            "PROXY \(family) \(client.address) \(listener.address) \(client.port) \(listener.port)"
        return Array("\(line)\r\n".utf8)
    }

    /// The block of version 2; without ends, of an unknown client.
    public static func v2(from client: Endpoint?, to listener: Endpoint?) -> [UInt8] {
        let command: UInt8 = 0x21
        guard let (client, listener) = ends(client, listener) else {
            return signature + [command, 0x00, 0, 0]
        }
        let ports = [client.port, listener.port].flatMap {
            [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)]
        }
        let addresses = client.address.bytes + listener.address.bytes + ports
        let family: UInt8 = client.address.isIPv6 ? 0x21 : 0x11
        return signature + [command, family, 0, UInt8(addresses.count)] + addresses
    }

    private static func ends(
        _ client: Endpoint?, _ listener: Endpoint?
    ) -> (Endpoint, Endpoint)? {
        guard let client, let listener, client.address.isIPv6 == listener.address.isIPv6 else {
            return nil
        }
        return (client, listener)
    }
}
