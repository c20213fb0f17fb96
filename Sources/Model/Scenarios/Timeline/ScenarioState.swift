import LinkModel

/// The state of a scenario's interfaces at one time.
///
/// Temporary changes lie on top of permanent ones: a permanent change during a temporary one
/// becomes visible when the temporary one ends.
struct ScenarioState: Sendable {
    /// One interface.
    struct Interface: Sendable {
        fileprivate var lastingConditions: NamedConditions
        fileprivate var temporaryChanges: [(entry: Int, change: ConditionsChange)] = []
        fileprivate var lastingSettings: InterfaceOverride
        fileprivate var temporarySettings: [(entry: Int, settings: InterfaceOverride)] = []
        var isUp = true
        var isPresent: Bool

        init(_ interface: ScenarioInterface) {
            lastingConditions = NamedConditions(interface)
            lastingSettings = interface.initialOverride
            isPresent = interface.isPresent
        }

        var conditions: NamedConditions {
            temporaryChanges.reduce(lastingConditions) { $0.changed(by: $1.change) }
        }

        var settings: InterfaceOverride {
            temporarySettings.reduce(lastingSettings) { $0.overridden(by: $1.settings) }
        }
    }

    private(set) var interfaces: [String: Interface]
    /// The names of the interfaces, most preferred first.
    private(set) var order: [String]
    /// The most preferred interface before each entry that changed it temporarily.
    private var preferredBefore: [Int: String] = [:]

    init(_ scenario: Scenario) {
        interfaces = Dictionary(
            scenario.interfaces.map { ($0.name, Interface($0)) },
            uniquingKeysWith: { first, _ in first })
        order = scenario.interfaces.map(\.name)
    }

    /// Performs an action and returns the resulting event action; nil if the interface does not
    /// exist.
    mutating func perform(
        _ action: ScenarioAction, ofEntry entry: Int, isTemporary: Bool
    ) -> TimelineAction? {
        switch action {
        case .change(let name, let change, let over):
            if isTemporary {
                interfaces[name]?.temporaryChanges.append((entry, change))
            } else if let conditions = interfaces[name]?.lastingConditions {
                interfaces[name]?.lastingConditions = conditions.changed(by: change)
            }
            return self.change(of: name, over: over)
        case .override(let name, let settings):
            if isTemporary {
                interfaces[name]?.temporarySettings.append((entry, settings))
            } else if let old = interfaces[name]?.lastingSettings {
                interfaces[name]?.lastingSettings = old.overridden(by: settings)
            }
            return interfaces[name].map { .override(interface: name, $0.settings) }
        case .carrier(let name, let isUp):
            interfaces[name]?.isUp = isUp
            return .carrier(interface: name, isUp: isUp)
        case .presence(let name, let isPresent):
            interfaces[name]?.isPresent = isPresent
            return .presence(interface: name, isPresent: isPresent)
        case .prefer(let name):
            if isTemporary { preferredBefore[entry] = order.first }
            return prefer(name)
        case .app(let action): return .app(action)
        case .execute(let command): return .execute(command)
        case .expect(let expectation): return .expect(expectation)
        }
    }

    /// Undoes a temporary action of an entry and returns the resulting event action.
    mutating func undo(_ action: ScenarioAction, ofEntry entry: Int) -> TimelineAction? {
        switch action {
        case .change(let name, _, let over):
            interfaces[name]?.temporaryChanges.removeAll { $0.entry == entry }
            return change(of: name, over: over)
        case .override(let name, _):
            interfaces[name]?.temporarySettings.removeAll { $0.entry == entry }
            return interfaces[name].map { .override(interface: name, $0.settings) }
        case .carrier(let name, let isUp):
            interfaces[name]?.isUp = !isUp
            return .carrier(interface: name, isUp: !isUp)
        case .presence(let name, let isPresent):
            interfaces[name]?.isPresent = !isPresent
            return .presence(interface: name, isPresent: !isPresent)
        case .prefer: return preferredBefore.removeValue(forKey: entry).map { prefer($0) }
        case .app(.suspend): return .app(.resume)
        case .app(.resume): return .app(.suspend)
        // Validation rejects temporary actions of these kinds.
        case .app, .execute, .expect: return nil
        }
    }

    /// The actions that restore the interfaces to their initial state.
    mutating func reset(to scenario: Scenario) -> [TimelineAction] {
        let start = ScenarioState(scenario)
        var actions: [TimelineAction] = []
        for name in start.order {
            guard let old = interfaces[name], let new = start.interfaces[name] else { continue }
            if old.conditions != new.conditions {
                actions.append(
                    .change(
                        interface: name, profile: new.conditions.name,
                        conditions: new.conditions.conditions, over: .zero))
            }
            if old.settings != new.settings {
                actions.append(.override(interface: name, new.settings))
            }
            if old.isPresent != new.isPresent {
                actions.append(.presence(interface: name, isPresent: new.isPresent))
            }
            if old.isUp != new.isUp { actions.append(.carrier(interface: name, isUp: new.isUp)) }
        }
        if order != start.order {
            // The last interface to be preferred ends up first.
            actions += start.order.reversed().map { .prefer(interface: $0) }
        }
        self = start
        return actions
    }

    private func change(of name: String, over: Duration) -> TimelineAction? {
        guard let conditions = interfaces[name]?.conditions else { return nil }
        return .change(
            interface: name, profile: conditions.name, conditions: conditions.conditions,
            over: over)
    }

    private mutating func prefer(_ name: String) -> TimelineAction {
        order.removeAll { $0 == name }
        order.insert(name, at: 0)
        return .prefer(interface: name)
    }
}
