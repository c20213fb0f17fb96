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

    /// One line for each interface, or a sentence if there are none.
    static func table(_ overrides: [OverriddenInterface], isStyled: Bool) -> String {
        guard !overrides.isEmpty else { return "There is no override.\n" }
        var table = Table(["INTERFACE", "KIND", "COST", "LOW DATA", "PREFERRED", "UNTIL"])
        for interface in overrides {
            let mark = interface.mark
            table.add([
                interface.name, mark.kindText ?? "default",
                mark.cost.rawValue, mark.lowDataText, mark.isPreferred ? "yes" : "no",
                mark.until.map(Timestamp.text) ?? "linkcond override clear",
            ])
        }
        let problems = overrides.compactMap { interface in
            HostOverrides.problem(with: interface.mark).map { "\(interface.name): \($0)\n" }
        }
        return table.text(isStyled: isStyled) + problems.joined()
    }
}
