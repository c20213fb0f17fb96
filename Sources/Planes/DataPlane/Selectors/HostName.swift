public import LinuxKernel

/// The name of a host, whose addresses are looked up.
public struct HostName: Sendable, Hashable, CustomStringConvertible {
    /// How many names can be chosen at once: they are looked up one after the other.
    public static let mostAtOnce = 100

    /// As in a URL.
    public let description: String

    /// Nil if no host can have the name. What ends with a number is a mistyped address, which
    /// resolvers would complete.
    public init?(_ text: String) {
        let name = text.last == "." ? text.dropLast() : text[...]
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        let areLabels = labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy { byte in
                    switch byte {
                    case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"): true
                    default: false
                    }
                }
        }
        guard areLabels, name.utf8.count <= 253, let last = labels.last,
            !last.allSatisfy(\.isWholeNumber), !last.lowercased().hasPrefix("0x")
        else { return nil }
        description = name.lowercased()
    }
}

extension TrafficSelector {
    /// Finds out which addresses its names have now.
    public mutating func lookUpNames() throws(SelectorError) {
        guard included.toNames.count <= HostName.mostAtOnce else {
            throw SelectorError(
                "--to", nil,
                "at most \(HostName.mostAtOnce) names can be chosen at once; give networks, or use "
                    + "several conditions (--name)")
        }
        for name in included.toNames {
            let found: [IPAddress]
            do {
                found = try HostLookup.allAddresses(of: name.description)
            } catch {
                throw SelectorError("--to", name.description, "\(error)")
            }
            guard !found.isEmpty else {
                throw SelectorError(
                    "--to", name.description,
                    "has no addresses, or no name server answers; getent ahosts \(name) tells the "
                        + "same when that has changed")
            }
            addresses[name] = found
        }
        try resolved(by: addresses)?.check()
    }

    /// The same with addresses in the place of names; nil if it has names and none has an address.
    public func resolved(by addresses: [HostName: [IPAddress]]) -> TrafficSelector? {
        guard !included.toNames.isEmpty else { return self }
        var other = self
        other.addresses = [:]
        other.included.toNames = []
        for address in included.toNames.flatMap({ addresses[$0] ?? [] }) {
            let host = IPNetwork(host: address.unmapped)
            if !other.included.to.contains(host) { other.included.to.append(host) }
        }
        return other.included.to.isEmpty ? nil : other
    }
}

/// Encoded as its `text`, so that a sender cannot send anything else, and behind that the addresses
/// of each name.
extension TrafficSelector: Codable {
    /// Writes the text and the addresses.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        let names = addresses.sorted { $0.key.description < $1.key.description }.map {
            ([$0.key.description] + $0.value.map(\.description)).joined(separator: " ")
        }
        try container.encode(([text] + names).joined(separator: "\n"))
    }

    /// Decodes what `encode` wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let lines = try container.decode(String.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        let corruption = DecodingError.dataCorruptedError(
            in: container, debugDescription: "no selector of traffic")
        guard let selector = TrafficSelector(text: String(lines[0])) else { throw corruption }
        self = selector
        for line in lines.dropFirst() {
            let words = line.split(separator: " ").map(String.init)
            let found = words.dropFirst().compactMap { IPAddress($0) }
            guard let name = words.first.flatMap(HostName.init), found.count == words.count - 1
            else { throw corruption }
            addresses[name] = found
        }
    }
}
