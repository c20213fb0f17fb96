import LinkUnits

extension Expectation {
    /// What is not as it must be of a path, all in one sentence; nil if all is.
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

    /// What is not as it must be of the command's end; nil if all is, or nothing is said of it.
    func flaw(ofExit exitCode: Int32?) -> String? {
        guard let exit, let exitCode, !exit.includes(exitCode) else { return nil }
        return "expected exit == \(exit); was \(exitCode)"
    }

    /// Whether it is about the path.
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
