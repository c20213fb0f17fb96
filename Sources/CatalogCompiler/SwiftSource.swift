import LinkModel
import LinkUnits
import Scenarios

/// Swift expressions for the values of the model.
enum SwiftSource {
    /// A source file that declares `builtInProfiles`.
    static func file(for profiles: [Profile]) -> String {
        // One function a profile: a single literal of them all takes the compiler minutes.
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

    private static func expression(_ profile: Profile) -> String {
        """
        Profile(name: \(literal(profile.name)), family: \(literal(profile.family)), \
        aliases: [\(profile.aliases.map(literal).joined(separator: ", "))], \
        summary: \(literal(profile.summary)), source: \(literal(profile.source)), \
        interface: .\(profile.interface), conditions: \(expression(profile.conditions)), \
        isExpensive: \(profile.isExpensive), isConstrained: \(profile.isConstrained))
        """
    }

    private static func expression(_ conditions: LinkConditions) -> String {
        """
        LinkConditions(down: \(expression(conditions.down)), up: \(expression(conditions.up)), \
        dnsDelay: \(conditions.dnsDelay.map(expression) ?? "nil"), \
        isBlackhole: \(conditions.isBlackhole))
        """
    }

    private static func expression(_ conditions: DirectionConditions) -> String {
        let bandwidth = conditions.bandwidth.map { ".bitsPerSecond(\($0.bitsPerSecond))" }
        let jitter = conditions.jitter.map {
            "Jitter(amount: \(expression($0.amount)), distribution: .\($0.distribution))"
        }
        let reorder = conditions.reorder.map {
            "Reordering(mean: \(expression($0.mean)), gap: \($0.gap))"
        }
        return """
            DirectionConditions(bandwidth: \(bandwidth ?? "nil"), \
            delay: \(expression(conditions.delay)), jitter: \(jitter ?? "nil"), \
            loss: \(expression(conditions.loss)), duplicate: \(expression(conditions.duplicate)), \
            corrupt: \(expression(conditions.corrupt)), reorder: \(reorder ?? "nil"), \
            queue: \(conditions.queue.map(expression) ?? "nil"), aqm: .\(conditions.aqm), \
            ecn: \(conditions.ecn.map { "\($0)" } ?? "nil"), \
            trace: \(conditions.trace.map(literal) ?? "nil"))
            """
    }

    private static func expression(_ duration: Duration) -> String {
        ".nanoseconds(\(duration.wholeNanoseconds))"
    }

    private static func expression(_ ratio: Ratio) -> String {
        "Ratio(knownPartsPerBillion: \(ratio.partsPerBillion))"
    }

    private static func expression(_ loss: LossModel) -> String {
        switch loss {
        case .random(let ratio): ".random(\(expression(ratio)))"
        case .bursts(let mean, let burst): ".bursts(mean: \(expression(mean)), burst: \(burst))"
        }
    }

    private static func expression(_ queue: QueueLimit) -> String {
        switch queue {
        case .packets(let count): ".packets(\(count))"
        case .bytes(let count): ".bytes(ByteCount(bytes: \(count.bytes)))"
        case .time(let duration): ".time(\(expression(duration)))"
        }
    }

    /// A string literal; `debugDescription` writes Swift's own escapes.
    private static func literal(_ text: String) -> String { text.debugDescription }
}
