import Conditioner
import FoundationEssentials
import NetworkOverride
import NetworkPath

/// Overrides, for people.
enum OverrideText {
    /// What apps see, in a few words.
    static func text(of interface: OverriddenInterface) -> String {
        let mark = interface.mark
        let words = [
            mark.isHotspot ? "hotspot" : mark.kind.map(\.rawValue),
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
        var table = Table([
            .init(title: "INTERFACE"), .init(title: "KIND"), .init(title: "COST"),
            .init(title: "LOW DATA"), .init(title: "PREFERRED"), .init(title: "UNTIL"),
        ])
        for interface in overrides {
            let mark = interface.mark
            table.add([
                interface.name, mark.isHotspot ? "hotspot" : mark.kind?.rawValue ?? "default",
                mark.cost.rawValue, lowData(mark), mark.isPreferred ? "yes" : "no",
                mark.until.map(Timestamp.text) ?? "linkcond override clear",
            ])
        }
        let problems = overrides.compactMap { interface in
            problem(with: interface.mark).map { "\(interface.name): \($0)\n" }
        }
        return table.text(isStyled: isStyled) + problems.joined()
    }

    static func lowData(_ mark: NetworkMark) -> String {
        mark.isConstrained.map { $0 ? "on" : "off" } ?? "default"
    }

    /// What is wrong with a time limit that nobody will keep.
    static func problem(with mark: NetworkMark) -> String? {
        guard let watcher = mark.watcher else { return nil }
        let environment = ProcessInfo.processInfo.environment
        let limit = TimeLimit(until: mark.until, process: nil, watcher: watcher)
        guard let conditioner = try? Conditioner(environment: environment),
            conditioner.problem(with: limit) != nil
        else { return nil }
        return "the process that was to end this is gone; it stays until linkcond override clear"
    }
}
