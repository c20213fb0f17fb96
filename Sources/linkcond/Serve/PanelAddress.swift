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

    /// Returns a name of this host as it is written; throws what is wrong with it.
    static func checkName(_ text: String) throws -> String {
        // RFC 1123, section 2.1; some hosts have underscores.
        let isName = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-._".utf8.contains(byte)
            }
        }
        guard isName, (1...longestName).contains(text.utf8.count), text.first != "-" else {
            throw ValidationError(
                "\"\(text)\" is no name of a host; write one as browsers show it, without a port, "
                    + "such as lab.example, or xn--... for one with other letters")
        }
        return text
    }

    /// RFC 1035, section 2.3.4.
    private static let longestName = 253
}
