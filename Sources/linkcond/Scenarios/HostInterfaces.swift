import Conditioner
import DataPlanes
import LinuxKernel
import NetworkOverride
import NetworkPath
import Scenarios

/// Which interface of the host stands for which of a scenario.
struct HostInterfaces {
    /// The names on the host, by those in the scenario; an empty one means that which carries the
    /// default route.
    private(set) var names: [String: String]

    /// Reads what stands behind `-i`: `wifi0=eth1`, or with one interface in the scenario `eth1` or
    /// nothing.
    init(_ arguments: [String], of scenario: Scenario) throws(UsageError) {
        let wanted = scenario.interfaces.map(\.name)
        if let only = wanted.first, wanted.count == 1,
            arguments.count < 2, arguments.first?.contains("=") != true
        {
            names = [only: arguments.first ?? ""]
            return
        }
        var names: [String: String] = [:]
        for argument in arguments {
            let parts = argument.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false
            ).map(String.init)
            guard parts.count == 2, !parts[1].isEmpty, wanted.contains(parts[0]) else {
                throw UsageError(
                    description: "-i \(argument): write which interface of the scenario it stands "
                        + "for, as in -i \(wanted.first ?? "wifi0")=\(parts.last ?? "eth0"); the "
                        + "scenario has \(wanted.joined(separator: ", "))")
            }
            guard names.updateValue(parts[1], forKey: parts[0]) == nil else {
                throw UsageError(description: "-i \(argument): \(parts[0]) was given before")
            }
        }
        let missing = wanted.filter { names[$0] == nil }
        guard missing.isEmpty else {
            throw UsageError(
                description: "the scenario has \(wanted.joined(separator: ", ")); say which "
                    + "interfaces of this host those are: "
                    + missing.map { "-i \($0)=NAME" }.joined(separator: " "))
        }
        guard Set(names.values).count == names.count else {
            throw UsageError(
                description: "an interface of this host can stand for one of the scenario only")
        }
        self.names = names
    }

    /// Finds the one that carries the default route, where that is meant.
    mutating func resolve() throws {
        for name in names.keys where names[name] == "" {
            let found = try NetworkPath.current().interfacesInUse.map(\.name)
            guard let first = found.first else {
                throw UsageError(
                    description: "no interface carries a default route; name one, as in: -i eth0")
            }
            guard found.count == 1 else { throw UsageError(severalDefaultRoutes: found) }
            names[name] = first
        }
    }

    /// Refuses to change conditions, for the same reason.
    func requireNoConditions(_ planes: DataPlanes) throws {
        let conditioned = try planes.status().map(\.interface.interface)
        guard let name = conditioned.first(where: Set(names.values).contains) else { return }
        throw UsageError(
            description:
                "\(name): is conditioned already; use linkcond clear -i \(ShellWord(name)) first")
    }

    /// Refuses to change overrides: they could not be restored if this process were killed.
    func requireNoOverrides() throws {
        let overridden = try NetworkOverride.show().first {
            names.values.contains($0.name) || $0.mark.isPreferred
        }
        guard let name = overridden?.name else { return }
        throw UsageError(
            description: "\(name): has an override, which the scenario would replace; use linkcond "
                + "override clear -i \(name) first")
    }
}

extension Scenario {
    /// What of it can be played without an app and without taking interfaces away; and what the
    /// user has to know of the rest.
    var forHost: (scenario: Scenario, notes: [String]) {
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
}
