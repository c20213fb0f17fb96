import LinkModel
import LinkUnits
import YAMLReading

/// Reads what stands in the middle: the mapping under `middle`.
enum MiddleboxReader {
    /// Reads a mapping; a scenario may also write `none`.
    static func middlebox(
        _ node: YAMLNode, file: String, path: String
    ) throws(ProfileError) -> Middlebox? {
        if node.string == Middlebox.none { return nil }
        let fields = try FieldReader(
            node, file: file, path: path,
            known: ["family", "firewall", "nat", "mss", "dns", "captive-portal"])
        var middlebox = Middlebox()
        middlebox.family = try fields.choice("family", NetworkFamily.self)
        middlebox.firewall = try fields.inner("firewall", known: firewallKeys).map(firewall)
        middlebox.nat = try translations(fields)
        if let text = try fields.text("mss") {
            guard let mss = Int(text) else {
                throw fields.error("mss", "\"\(text)\" is not a number of bytes, such as 1360")
            }
            middlebox.mss = mss
        }
        middlebox.dns = try ResolverReader.resolver(fields)
        middlebox.captivePortal = try fields.inner("captive-portal", known: ["until"])
            .map(captivePortal)
        return middlebox
    }

    /// A NAT, or a list of them.
    private static func translations(
        _ fields: FieldReader
    ) throws(ProfileError) -> [AddressTranslation] {
        guard let node = fields.node("nat") else { return [] }
        var translations: [AddressTranslation] = []
        for element in node.elements.map(Array.init) ?? [node] {
            let inner = try FieldReader(
                element, file: fields.file, path: fields.fieldPath("nat"), known: translationKeys)
            translations.append(try translation(inner))
        }
        guard !translations.isEmpty else {
            throw fields.error("nat", "is empty; write nat: { kind: port-restricted }")
        }
        return translations
    }

    private static let translationKeys = ["kind", "timeout", "rebind", "hairpin", "table"]

    private static func translation(
        _ fields: FieldReader
    ) throws(ProfileError) -> AddressTranslation {
        guard let kind = try fields.choice("kind", AddressTranslation.Kind.self) else {
            throw fields.error("kind", "is missing; write kind: port-restricted")
        }
        var translation = AddressTranslation(kind: kind)
        if let timeout = try fields.inner("timeout", known: ["udp", "tcp"]) {
            if let udp = try timeout.quantity("udp", Duration.init(parsing:)) {
                translation.udpTimeout = udp
            }
            if let tcp = try timeout.quantity("tcp", Duration.init(parsing:)) {
                translation.tcpTimeout = tcp
            }
        }
        if let text = try fields.text("rebind") {
            guard text.hasPrefix("every ") else {
                throw fields.error(
                    "rebind", "\"\(text)\" is not an interval; write rebind: every 5 s")
            }
            do {
                translation.rebind = try Duration(parsing: String(text.dropFirst(6)))
            } catch {
                throw fields.error("rebind", error)
            }
        }
        translation.hairpin = try fields.flag("hairpin")
        if let text = try fields.text("table") {
            guard let table = Int(text) else {
                throw fields.error("table", "\"\(text)\" is not a number of entries, such as 1000")
            }
            translation.table = table
        }
        return translation
    }

    private static let firewallKeys = ["block", "allow", "answer", "timeout"]

    private static func firewall(_ fields: FieldReader) throws(ProfileError) -> Firewall {
        let timeout = try fields.inner("timeout", known: ["tcp"])
        return Firewall(
            block: try kinds("block", fields), allow: try kinds("allow", fields),
            answer: try fields.choice("answer", Firewall.Answer.self) ?? .drop,
            tcpTimeout: try timeout?.quantity("tcp", Duration.init(parsing:)))
    }

    /// A kind of traffic, or a list of them.
    private static func kinds(
        _ key: String, _ fields: FieldReader
    ) throws(ProfileError) -> [TrafficKind] {
        guard let node = fields.node(key) else { return [] }
        let elements = node.elements.map(Array.init) ?? [node]
        guard !elements.isEmpty else {
            throw fields.error(key, "is empty; write a list such as [udp, tcp/22]")
        }
        var kinds: [TrafficKind] = []
        for element in elements {
            let text = element.string ?? ""
            guard let kind = TrafficKind(parsing: text) else {
                throw fields.error(
                    key,
                    "\"\(text.printable)\" is not one of tcp, udp, icmp, quic, tcp/22, udp/8000-8100 and "
                        + "the like")
            }
            kinds.append(kind)
        }
        return kinds
    }
}

extension FieldReader {
    /// The fields of the mapping under `key`, if there is one.
    func inner(_ key: String, known: [String]) throws(ProfileError) -> FieldReader? {
        guard let node = node(key) else { return nil }
        return try FieldReader(node, file: file, path: fieldPath(key), known: known)
    }
}
