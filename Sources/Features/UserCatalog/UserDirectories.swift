import Catalog
public import LinuxKernel

/// The locations of the user's profiles and scenarios. Under sudo, these are the invoking user's,
/// and their files are accessed with that user's rights.
public struct UserDirectories {
    /// The directories of profiles, nearest first.
    let profiles: [String]
    /// The directories of scenarios.
    let scenarios: [String]
    /// The user who invoked sudo, if the process runs as root through it.
    private let user: InvokingUser?
    /// The user's own directory for profiles; nil if no variable determines it.
    public let ownProfiles: String?

    /// Finds the directories from environment variables.
    public init(environment: [String: String] = Process.environment) {
        user = InvokingUser.behindSudo(environment: environment)
        var environment = environment
        // sudo sets HOME to root's.
        if let user { environment["HOME"] = user.variables["HOME"] ?? environment["SUDO_HOME"] }
        profiles = ProfileCatalog.standardDirectories(environment: environment)
        scenarios = ScenarioCatalog.standardDirectories(environment: environment)
        // The nearest is the project's, the last one the host's.
        ownProfiles = profiles.count == 3 ? profiles[1] : nil
    }

    /// Runs `body` with the file access rights of the user who invoked sudo, if any.
    public func acting<Result>(_ body: () throws -> Result) throws -> Result {
        guard let user else { return try body() }
        return try FileRights.lending(to: user.identity, body)
    }

    /// The owner of files that root should not read as root.
    var owner: DirectoryOwner? {
        guard let user else { return nil }
        let own = [profiles, scenarios].filter { $0.count == 3 }.map { $0[1] }
        return DirectoryOwner(of: own) { work in
            try FileRights.lending(to: user.identity, work)
        }
    }
}
