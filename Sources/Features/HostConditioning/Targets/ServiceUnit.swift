import LinkModel
import LinuxKernel

/// A unit of systemd, whose programs are in a control group of its own.
public struct ServiceUnit: Sendable, Hashable {
    /// What `systemctl` calls it; without an ending it is a service.
    public let name: String

    /// Names a unit, which need not exist.
    public init(_ name: String) throws(HostError) {
        // The characters that names of units may have: systemd.unit(5). Patterns name several.
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case 48...57, 65...90, 97...122: true
            default: ":-_.\\@".utf8.contains(byte)
            }
        }
        guard isPlain, !name.isEmpty, name.utf8.count < 256 else {
            throw HostError(
                "--unit \(name.isEmpty ? "\"\"" : name): is not the name of a unit, such as "
                    + "nginx or user-1000.slice")
        }
        self.name = name
    }

    private static let patience = Duration.seconds(20)

    /// The path of its control group now. Equivalent to `systemctl show -p ControlGroup UNIT`.
    public func controlGroup() throws(HostError) -> String {
        guard let program = HelperProgram.path(of: "systemctl") else {
            throw HostError(
                "--unit \(name): there is no systemctl here, so no units of systemd; --cgroup "
                    + "chooses programs by the path of their control group",
                status: .unavailable)
        }
        let result: HelperProgram.Result
        do {
            result = try HelperProgram.run(
                program,
                ["show", "-p", "LoadState", "-p", "ActiveState", "-p", "ControlGroup", "--", name],
                input: "", patience: Self.patience)
        } catch {
            throw HostError("--unit \(name): \(error)", status: .unavailable)
        }
        guard result.exitCode == 0 else {
            throw HostError(
                "--unit \(name): systemctl cannot tell about units: \(result.message)",
                status: .unavailable)
        }
        return try controlGroup(in: result.text)
    }

    /// Finds the path in what `systemctl show` wrote.
    func controlGroup(in properties: String) throws(HostError) -> String {
        let values = Dictionary(
            properties.split(whereSeparator: \.isNewline).compactMap { line in
                line.firstIndex(of: "=").map {
                    (String(line[..<$0]), String(line[line.index(after: $0)...]))
                }
            }
        ) { first, _ in first }
        if let group = values["ControlGroup"], !group.isEmpty { return group }
        guard let state = values["ActiveState"], let load = values["LoadState"] else {
            throw HostError(
                "--unit \(name): systemctl show says nothing of it that linkcond understands; "
                    + "--cgroup chooses programs by the path of their control group",
                status: .unavailable)
        }
        guard load != "not-found" else {
            throw HostError(
                "--unit \(name): systemd has no such unit (systemctl list-units shows all; for "
                    + "one of a user's own, give --cgroup what systemctl --user show -p "
                    + "ControlGroup prints)")
        }
        guard state == "active" || state == "reloading" else {
            throw HostError(
                "--unit \(name): is not running (\(state)), so that it has no programs; start it "
                    + "first: systemctl start \(name)")
        }
        throw HostError(
            "--unit \(name): has no control group, so no programs; services, scopes and slices "
                + "have")
    }
}
