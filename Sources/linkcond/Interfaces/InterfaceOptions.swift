import ArgumentParser
import Override
import Sandbox
import SandboxRuns
import UserCatalog

/// Options for several interfaces.
struct InterfaceOptions: ParsableArguments {
    @Option(
        name: .customLong("interface"),
        help: ArgumentHelp(
            "An interface, instead of PROFILE; may be repeated.",
            more: "The most preferred first. After the profile, separated by commas: expensive, "
                + "inexpensive, constrained, unconstrained, kind=wifi, and fields of the profile, "
                + "such as down.loss=2%.",
            valueName: "name=profile[,...]"),
        completion: .interfaceOfRun)
    var texts: [String] = []

    /// The interfaces, most preferred first.
    func interfaces() throws -> [SandboxInterface] {
        let catalog = UserCatalog.profiles
        let interfaces = try texts.map { try InterfaceArgument($0).interface(catalog) }
        if let problem = SandboxInterface.problem(of: interfaces) {
            throw UsageError(description: "--interface: \(problem)")
        }
        return interfaces
    }
}
