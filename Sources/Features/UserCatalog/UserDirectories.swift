import Catalog
public import FoundationEssentials
import LinuxKernel

/// Where the user's profiles and scenarios are: under sudo those of who called it, whose files are
/// read and written in their name.
public struct UserDirectories {
    /// The directories of profiles, nearest first.
    let profiles: [String]
    /// The directories of scenarios.
    let scenarios: [String]
    /// Who called sudo, if root is asked through it.
    private let user: InvokingUser?
    /// The one of the user's own for profiles; nil if nothing says where it is.
    public let ownProfiles: String?

    /// Finds them by the variables of the environment.
    public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        user = InvokingUser.behindSudo(environment: environment)
        var environment = environment
        // sudo sets it to root's.
        if let user { environment["HOME"] = user.variables["HOME"] ?? environment["SUDO_HOME"] }
        profiles = ProfileCatalog.standardDirectories(environment: environment)
        scenarios = ScenarioCatalog.standardDirectories(environment: environment)
        // The nearest is the project's, the last the host's.
        ownProfiles = profiles.count == 3 ? profiles[1] : nil
    }

    /// Runs `body` with the rights to files of who called sudo, if it was called.
    public func acting<Result>(_ body: () throws -> Result) throws -> Result {
        guard let user else { return try body() }
        return try FileRights.lending(to: user.identity, body)
    }

    /// Who owns those that root should not read as root.
    var owner: DirectoryOwner? {
        guard let user else { return nil }
        let own = [profiles, scenarios].filter { $0.count == 3 }.map { $0[1] }
        return DirectoryOwner(of: own) { work in
            try FileRights.lending(to: user.identity, work)
        }
    }
}
