import LinkModel
import LinkUnits
import YAMLReading

/// Reads how a name server fails: `down`, or a mapping.
enum ResolverReader {
    static func resolver(_ fields: FieldReader) throws(ProfileError) -> Resolver? {
        guard let node = fields.node("dns") else { return nil }
        if let text = node.string {
            guard text == Resolver.downText else {
                throw fields.error(
                    "dns",
                    "\"\(text.printable)\" is neither down nor a list of fields, such as "
                        + "{ servfail: 10% }")
            }
            return .down
        }
        let inner = try FieldReader(
            node, file: fields.file, path: fields.fieldPath("dns"),
            known: ["servfail", "nxdomain", "wrong-answer", "truncate", "delay"])
        return Resolver(
            servfail: try inner.quantity("servfail", Ratio.init(parsing:)) ?? .zero,
            nxdomain: try names("nxdomain", inner) ?? [], wrongAnswer: try wrongAnswer(inner),
            truncate: try inner.flag("truncate"),
            delay: try inner.quantity("delay", Duration.init(parsing:)) ?? .zero)
    }

    private static func wrongAnswer(
        _ fields: FieldReader
    ) throws(ProfileError) -> Resolver.WrongAnswer? {
        guard let inner = try fields.inner("wrong-answer", known: ["address", "names"]) else {
            return nil
        }
        guard let text = try inner.text("address") else {
            throw inner.error("address", "is missing; write address: 203.0.113.7")
        }
        guard let address = IPv4Address(parsing: text) else {
            throw inner.error(
                "address", "\"\(text)\" is not an IPv4 address, such as 203.0.113.7")
        }
        return Resolver.WrongAnswer(address: address, names: try names("names", inner) ?? [.all])
    }

    /// A name, or a list of them.
    private static func names(
        _ key: String, _ fields: FieldReader
    ) throws(ProfileError) -> [NamePattern]? {
        guard let node = fields.node(key) else { return nil }
        let elements = node.elements.map(Array.init) ?? [node]
        guard !elements.isEmpty else {
            throw fields.error(key, "is empty; write a list such as [ads.example, \"*.example\"]")
        }
        var names: [NamePattern] = []
        for element in elements {
            let text = element.string ?? ""
            guard let name = NamePattern(parsing: text) else {
                throw fields.error(
                    key,
                    "\"\(text.printable)\" is not a name such as ads.example, \"*.example\" (all "
                        + "below it) or \"*\"")
            }
            names.append(name)
        }
        return names
    }
}
