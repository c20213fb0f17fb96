import HostConditioning
import NetworkPath
import Override

/// Overrides, for people.
enum OverrideText {
    /// What apps see, in a few words.
    static func text(of interface: OverriddenInterface) -> String {
        let mark = interface.mark
        let words = [
            mark.kindText,
            interface.isExpensive ? "expensive" : "not expensive",
            interface.isConstrained ? "constrained" : "not constrained",
            mark.isPreferred ? "preferred" : nil,
            mark.until.map { "until \(Timestamp.text($0))" },
        ]
        return words.compactMap { $0 }.joined(separator: ", ")
    }

    private static func preference(of interface: OverriddenInterface) -> String {
        guard interface.mark.isPreferred else { return "no" }
        return interface.hasLostPreference ? "lost" : "yes"
    }

    /// One line for each interface, or a sentence if there are none.
    static func table(_ overrides: [OverriddenInterface], isStyled: Bool) -> String {
        guard !overrides.isEmpty else { return "There is no override.\n" }
        var table = Table(["INTERFACE", "KIND", "COST", "LOW DATA", "PREFERRED", "UNTIL"])
        for interface in overrides {
            let mark = interface.mark
            table.add([
                interface.name, mark.kindText ?? "default",
                mark.cost.rawValue, mark.lowDataText, preference(of: interface),
                mark.until.map(Timestamp.text) ?? "linkcond override clear",
            ])
        }
        let problems = overrides.compactMap { interface in
            HostOverrides.problem(with: interface).map { "\(interface.name): \($0)\n" }
        }
        return table.text(isStyled: isStyled) + problems.joined()
    }
}
