import LinkModel
import LinkUnits

// One-line descriptions of entries and events for logs, tables and plots.

extension ScenarioAction: CustomStringConvertible {
    /// One line: `wifi0: apple/LTE over 3 s`.
    public var description: String {
        switch self {
        case .change(let interface, let change, let over):
            let parts = [change.profile?.id].compactMap { $0 } + change.settings.map(\.text)
            return "\(interface): \(parts.joined(separator: ", "))" + over.rampText
        case .carrier(let interface, let isUp): return "\(interface): \(isUp ? "up" : "down")"
        case .presence(let interface, let isPresent):
            return "\(interface): \(isPresent ? "appears" : "vanishes")"
        case .override(let interface, let settings): return "\(interface): \(settings)"
        case .prefer(let interface): return "prefer \(interface)"
        case .app(let action): return "app: \(action)"
        case .execute(let command): return "exec: \(command)".printable
        case .expect(let expectation): return "expect: \(expectation)"
        }
    }
}

extension TimelineAction: CustomStringConvertible {
    /// One line: `wifi0: apple/LTE over 3 s`.
    public var description: String {
        switch self {
        case .change(let interface, let profile, _, let over):
            "\(interface): \(profile)" + over.rampText
        case .carrier(let interface, let isUp):
            ScenarioAction.carrier(interface: interface, isUp: isUp).description
        case .presence(let interface, let isPresent):
            ScenarioAction.presence(interface: interface, isPresent: isPresent).description
        case .override(let interface, let settings): "\(interface): \(settings)"
        case .prefer(let interface): ScenarioAction.prefer(interface: interface).description
        case .app(let action): ScenarioAction.app(action).description
        case .execute(let command): ScenarioAction.execute(command).description
        case .expect(let expectation): ScenarioAction.expect(expectation).description
        }
    }
}

extension ScenarioEntry {
    /// A line for each action: `tabletA: suspend`.
    public var descriptions: [String] {
        actions.map { action in
            action.interface == nil ? action.description.prefixed(device) : action.description
        }
    }
}

extension TimelineEvent: CustomStringConvertible {
    /// One line: `tabletA: suspend`.
    public var description: String { action.description.prefixed(device) }
}

extension Timeline.EndExpectation: CustomStringConvertible {
    /// One line: `tabletA: expect: exit 0`.
    public var description: String {
        ScenarioAction.expect(expectation).description.prefixed(device)
    }
}

extension String {
    /// The text with the name of a device, which stands for the app.
    func prefixed(_ device: String?) -> String {
        guard let device else { return self }
        return "\(device): " + (hasPrefix("app: ") ? String(dropFirst(5)) : self)
    }
}

extension Duration {
    fileprivate var rampText: String { self > .zero ? " over \(text)" : "" }
}

extension AppAction: CustomStringConvertible {
    /// As written in a file: `suspend`, `signal USR1`.
    public var description: String {
        switch self {
        case .suspend: "suspend"
        case .resume: "resume"
        case .terminate: "terminate"
        case .relaunch(let options):
            options == LaunchOptions() ? "relaunch" : "relaunch (\(options))"
        case .signal(let number):
            "signal \(Self.signals.first { $0.number == number }?.name ?? "\(number)")"
        }
    }

    /// The signals that a file may name.
    public static let signals: [(name: String, number: Int32)] = [
        "HUP", "INT", "QUIT", "ABRT", "KILL", "USR1", "USR2", "ALRM", "TERM", "CONT", "STOP",
        "TSTP", "WINCH",
    ].compactMap { name in SignalName.number(of: name).map { (name, $0) } }
}

extension Expectation: CustomStringConvertible {
    /// `isConstrained true, interface cell0`.
    public var description: String {
        let limit = command.map { $0.limit > .zero ? " within \($0.limit.text)" : "" } ?? ""
        return [
            status.map { "status \($0)" }, isExpensive.map { "isExpensive \($0)" },
            isConstrained.map { "isConstrained \($0)" }, interface.map { "interface \($0)" },
            exit.map { "exit \($0)" }, command.map { "\($0.text.printable) succeeds\(limit)" },
        ].compactMap { $0 }.joined(separator: ", ")
    }
}

extension Expectation.Exit: CustomStringConvertible {
    /// As written in a file: `0`, `nonzero`.
    public var description: String {
        switch self {
        case .code(let code): "\(code)"
        case .nonzero: "nonzero"
        }
    }
}

extension ScenarioEntry.Schedule: CustomStringConvertible {
    /// For people: `5 s ± 2 s`, `every 15 s from 30 s until 90 s`.
    public var description: String {
        switch self {
        case .once(let time, .zero): return time.text
        case .once(let time, let spread): return "\(time.text) ± \(spread.text)"
        case .every(let period, let from, let until):
            let end = until.map { " until \($0.text)" } ?? ""
            return "every \(period.text) from \(from.text)\(end)"
        case .atEnd: return "end"
        }
    }
}
