import LinkModel
import LinkUnits
import Scenarios

/// Swift expressions for the values of the model.
enum SwiftSource {
    /// A source file that declares `builtInProfiles`.
    static func file(for profiles: [Profile]) -> String {
        // One function per profile: the compiler takes minutes for a single literal of them all.
        let functions = profiles.enumerated().map { index, profile in
            "private func profile\(index)() -> Profile {\n    \(expression(profile))\n}\n"
        }
        let calls = profiles.indices.map { "    profile\($0)(),\n" }.joined()
        return """
            import LinkModel
            import LinkUnits

            let builtInProfiles: [Profile] = [
            \(calls)]

            \(functions.joined(separator: "\n"))
            """
    }

    /// A source file that declares `builtInScenarios`.
    static func file(for scenarios: [(scenario: Scenario, text: String)]) -> String {
        let elements = scenarios.map { scenario, text in
            """
                BuiltInScenario(
                    name: \(literal(scenario.name)),
                    aliases: [\(scenario.aliases.map(literal).joined(separator: ", "))],
                    text: \(literal(text))),

            """
        }
        return "let builtInScenarios: [BuiltInScenario] = [\n\(elements.joined())]\n"
    }

    /// A source file that declares `builtInSchemas`.
    static func file(for schemas: [(name: String, text: String)]) -> String {
        let elements = schemas.map { "    (\(literal($0.name)), \(literal($0.text))),\n" }
        return "let builtInSchemas: [(name: String, text: String)] = [\n\(elements.joined())]\n"
    }

    /// An expression for `value`, built from its stored properties.
    ///
    /// A new property needs no change here as long as the type's initializer takes all properties
    /// in their order.
    private static func expression(_ value: Any) -> String {
        switch value {
        case let text as String: return literal(text)
        case let duration as Duration: return ".nanoseconds(\(duration.wholeNanoseconds))"
        case let rate as Bandwidth: return ".bitsPerSecond(\(rate.bitsPerSecond))"
        case let ratio as Ratio:
            return "Ratio(knownPartsPerBillion: \(ratio.partsPerBillion))"
        default: break
        }
        let mirror = Mirror(reflecting: value)
        return switch mirror.displayStyle {
        case .optional: mirror.children.first.map { expression($0.value) } ?? "nil"
        case .collection: "[\(arguments(mirror))]"
        case .struct: "\(type(of: value))(\(arguments(mirror)))"
        case .enum: mirror.children.first.map(expression(ofCase:)) ?? ".\(value)"
        default: "\(value)"
        }
    }

    private static func expression(ofCase child: Mirror.Child) -> String {
        let values = Mirror(reflecting: child.value)
        let arguments =
            values.displayStyle == .tuple ? arguments(values) : expression(child.value)
        return ".\(child.label ?? "")(\(arguments))"
    }

    private static func arguments(_ mirror: Mirror) -> String {
        mirror.children.map { child in
            (child.label.map { "\($0): " } ?? "") + expression(child.value)
        }.joined(separator: ", ")
    }

    /// A string literal; `debugDescription` produces Swift's own escapes.
    private static func literal(_ text: String) -> String { text.debugDescription }
}
