import LinkModel
import LinkUnits

extension TimelineAction {
    /// What it does, in a few words, such as `wifi0: down`.
    public var text: String {
        switch self {
        case .change(let interface, let profile, _, let over):
            "\(interface): \(profile)" + (over > .zero ? " over \(over.unitText)" : "")
        case .carrier(let interface, let isUp): "\(interface): \(isUp ? "up" : "down")"
        case .presence(let interface, let isPresent):
            "\(interface): \(isPresent ? "appears" : "vanishes")"
        case .override(let interface, let settings): "\(interface): \(settings.text)"
        case .prefer(let interface): "\(interface): preferred"
        case .app(let action): "app: \(action.text)"
        case .execute(let command): "exec: \(command)"
        case .expect(let expectation): "expect: \(expectation.text)"
        }
    }

    /// What it is about.
    var subject: PlayedEvent.Subject {
        switch self {
        case .change(let interface, _, _, _), .carrier(let interface, _),
            .presence(let interface, _), .override(let interface, _), .prefer(let interface):
            .interface(interface)
        case .app, .execute: .app
        case .expect: .expectation
        }
    }
}

extension AppAction {
    /// The word for it.
    public var text: String {
        switch self {
        case .suspend: "suspend"
        case .resume: "resume"
        case .terminate: "terminate"
        case .relaunch: "relaunch"
        case .signal(let number): "signal \(number)"
        }
    }
}

extension OverrideSettings {
    /// The settings as a list.
    public var text: String {
        let words: [String?] = [
            kind?.rawValue, isExpensive.map { $0 ? "expensive" : "inexpensive" },
            isConstrained.map { $0 ? "constrained" : "unconstrained" },
        ]
        let known = words.compactMap(\.self)
        return known.isEmpty ? "as without override" : known.joined(separator: ", ")
    }
}
