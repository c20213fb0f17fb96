import DataPlane
public import DataPlanes
import LinuxKernel
import NetworkPath
import Override
public import Scenarios

/// Maps the interfaces of a scenario to those of the host.
public struct HostInterfaces {
    /// The names on the host by the names in the scenario; empty for the interface of the default
    /// route.
    public private(set) var names: [String: String]

    /// Reads the values of `-i`: `wifi0=eth1`; for a scenario with one interface also `eth1` or
    /// nothing.
    public init(_ arguments: [String], of scenario: Scenario) throws(HostError) {
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
                throw HostError(
                    "-i \(argument): write which interface of the scenario it stands "
                        + "for, as in -i \(wanted.first ?? "wifi0")=\(parts.last ?? "eth0"); the "
                        + "scenario has \(wanted.joined(separator: ", "))")
            }
            guard names.updateValue(parts[1], forKey: parts[0]) == nil else {
                throw HostError("-i \(argument): \(parts[0]) was given before")
            }
        }
        let missing = wanted.filter { names[$0] == nil }
        guard missing.isEmpty else {
            throw HostError(
                "the scenario has \(wanted.joined(separator: ", ")); say which "
                    + "interfaces of this host those are: "
                    + missing.map { "-i \($0)=NAME" }.joined(separator: " "))
        }
        guard Set(names.values).count == names.count else {
            throw HostError("an interface of this host can stand for one of the scenario only")
        }
        self.names = names
    }

    /// Resolves the interface of the default route where needed, and rejects interfaces that are
    /// already conditioned or overridden.
    public mutating func resolve(_ planes: DataPlanes) throws {
        names = names.mapValues { $0.isEmpty ? $0 : HostLink.name(of: $0) }
        try resolveDefault()
        try requireNoConditions(planes)
        try requireNoOverrides()
    }

    private mutating func resolveDefault() throws {
        for name in names.keys where names[name] == "" {
            let found = try NetworkPath.current().interfacesInUse.map(\.name)
            guard let first = found.first else {
                throw HostError("no interface carries a default route; name one, as in: -i eth0")
            }
            guard found.count == 1 else { throw HostError(severalDefaultRoutes: found) }
            names[name] = first
        }
    }

    private func requireNoConditions(_ planes: DataPlanes) throws {
        let conditioned = try planes.status().map(\.interface)
        guard let name = conditioned.first(where: Set(names.values).contains) else { return }
        throw HostError(
            "\(name): is conditioned already; use linkcond clear -i \(ShellWord(name)) first")
    }

    /// They could not be restored if this process were killed.
    private func requireNoOverrides() throws {
        let overridden = try NetworkOverride.show().first {
            names.values.contains($0.name) || $0.mark.isPreferred
        }
        guard let name = overridden?.name else { return }
        throw HostError(
            "\(name): has an override, which the scenario would replace; use linkcond "
                + "override clear -i \(name) first")
    }
}
