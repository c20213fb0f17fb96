import LinkModel
public import Scenarios

extension Scenario {
    /// Why a host cannot play it; nil if it can.
    public var problemOnHost: String? {
        if allConditions.contains(where: { $0.middle != nil }) {
            return
                "\(name): something stands in the middle of a link (middle:), for which an interface "
                + "of a host has no place; play it with linkcond run --scenario"
        }
        guard apps.count > 1 else { return nil }
        return "\(name): it has several devices (\(apps.map(\.name).joined(separator: ", "))), but "
            + "this host is one; play it with linkcond run --scenario"
    }

    /// The part that can be played without an app and without removing interfaces, and notes on the
    /// rest.
    public var forHost: (scenario: Scenario, notes: [String]) {
        var scenario = self
        var notes: [String] = []
        let count = entries.count
        scenario.entries = entries.compactMap { entry in
            var entry = entry
            entry.actions.removeAll { action in
                switch action {
                case .app: true
                case .expect(let expectation): expectation.exit != nil
                default: false
                }
            }
            return entry.actions.isEmpty ? nil : entry
        }
        let missing = count - scenario.entries.count
        if missing > 0 {
            notes.append(
                "\(missing) \(missing == 1 ? "entry is" : "entries are") left out: they are about "
                    + "an app, which linkcond run --scenario starts")
        }
        let cuts = entries.flatMap(\.actions).contains { action in
            switch action {
            case .carrier, .presence: true
            default: false
            }
        }
        if cuts || interfaces.contains(where: { !$0.isPresent }) {
            notes.append(
                "interfaces of this host stay up: where the scenario takes one away, all its "
                    + "packets are lost")
        }
        return (scenario, notes)
    }

    /// The conditions of all links, initially or later.
    var allConditions: [LinkConditions] { interfaces.map(\.profile.conditions) + laterConditions }
}
