import ArgumentParser
import LinuxKernel

/// Where `linkcond serve` listens, as a user writes it.
enum PanelAddress {
    private static let form =
        "write an address of this host and a port, such as 192.0.2.1:443 or [2001:db8::1]:443"

    /// Returns an address and a port as they are written; throws what is wrong with them.
    static func check(_ text: String) throws -> String {
        guard !text.hasPrefix("unix:") else {
            throw ValidationError("browsers open no Unix sockets; \(form)")
        }
        guard let colon = text.lastIndex(of: ":"), IPAddress(text) == nil, text.last != "]" else {
            throw ValidationError("the port is missing; \(form)")
        }
        let (host, port) = (text[..<colon], text[text.index(after: colon)...])
        guard UInt16(port) != nil else {
            throw ValidationError("\"\(port)\" is no port from 0 to 65535; \(form)")
        }
        let isBracketed = host.first == "[" && host.last == "]"
        guard isBracketed || !host.contains(":") else {
            throw ValidationError("an IPv6 address needs brackets; \(form)")
        }
        let address = isBracketed ? host.dropFirst().dropLast() : host
        let isLoopback = address == "localhost" || address.hasSuffix(".localhost")
        guard isLoopback || IPAddress(String(address)) != nil else {
            throw ValidationError(
                "\"\(address)\" is no address; \(form), and names with --host-name")
        }
        return text
    }
}
