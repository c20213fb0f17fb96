import LinkUnits

extension Expectation {
    /// How a path fails the expectation, in one sentence; nil if it does not.
    func flaw(in path: SeenPath) -> String? {
        var flaws: [String] = []
        func compare<Value: Equatable>(
            _ name: String, _ wanted: Value?, _ found: Value?, _ text: (Value) -> String
        ) {
            guard let wanted, wanted != found else { return }
            flaws.append(
                "expected \(name) == \(text(wanted)); was \(found.map(text) ?? "none")")
        }
        compare("status", status, path.status) { $0.rawValue }
        compare("isExpensive", isExpensive, path.isExpensive) { "\($0)" }
        compare("isConstrained", isConstrained, path.isConstrained) { "\($0)" }
        compare("interface", interface, path.interface) { $0 }
        return flaws.isEmpty ? nil : flaws.joined(separator: ", ")
    }

    /// How the command's exit fails the expectation; nil if it does not, or if exits are not
    /// checked.
    func flaw(ofExit exitCode: Int32?) -> String? {
        guard let exit, let exitCode, !exit.includes(exitCode) else { return nil }
        return "expected exit == \(exit); was \(exitCode)"
    }

    /// Whether it checks the path.
    var asksForPath: Bool {
        status != nil || isExpensive != nil || isConstrained != nil || interface != nil
    }
}

extension Expectation.Exit {
    func includes(_ code: Int32) -> Bool {
        switch self {
        case .code(let wanted): code == wanted
        case .nonzero: code != 0
        }
    }
}

extension Expectation.Command {
    var limitText: String { limit > .zero ? " within \(limit.text)" : "" }
}
