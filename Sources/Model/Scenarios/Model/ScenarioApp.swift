import LinkModel

/// One of several apps of a scenario, each on a device of its own: a network with its own
/// interfaces.
public struct ScenarioApp: Sendable, Hashable {
    /// The name of the app and its device, such as `tabletA`.
    public var name: String
    /// The interfaces of the device, most preferred first.
    public var interfaces: [String]
    /// The program and its arguments; nil: the command of the run.
    public var command: [String]?
    /// How it is started.
    public var launch: LaunchOptions
    /// Whether it runs from the start; otherwise a relaunch starts it.
    public var isRunning: Bool
    /// The line in the file.
    public var line: Int?

    /// Describes an app.
    public init(
        name: String, interfaces: [String], command: [String]? = nil,
        launch: LaunchOptions = .init(), isRunning: Bool = true, line: Int? = nil
    ) {
        self.name = name
        self.interfaces = interfaces
        self.command = command
        self.launch = launch
        self.isRunning = isRunning
        self.line = line
    }
}

/// How an app is started; nil: as without the option.
public struct LaunchOptions: Sendable, Hashable {
    /// The home directory (`HOME`), absolute or in the working directory.
    public var home: String?
    /// The name or number of the user that it runs as.
    public var user: String?
    /// Environment variables, in addition to the caller's.
    public var environment: [String: String]
    /// The arguments that replace those of the command.
    public var arguments: [String]?

    /// Makes options.
    public init(
        home: String? = nil, user: String? = nil, environment: [String: String] = [:],
        arguments: [String]? = nil
    ) {
        self.home = home
        self.user = user
        self.environment = environment
        self.arguments = arguments
    }

    /// These options with those that `others` gives instead.
    public func overridden(by others: LaunchOptions) -> LaunchOptions {
        LaunchOptions(
            home: others.home ?? home, user: others.user ?? user,
            environment: environment.merging(others.environment) { $1 },
            arguments: others.arguments ?? arguments)
    }
}

extension LaunchOptions: CustomStringConvertible {
    /// For people: `home ./ben, user ben, ACCOUNT=ben, arguments --verbose`; empty without options.
    public var description: String {
        let variables = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let parts =
            [home.map { "home \($0)" }, user.map { "user \($0)" }].compactMap(\.self) + variables
            + [arguments.map { "arguments \($0.joined(separator: " "))" }].compactMap(\.self)
        return parts.joined(separator: ", ").printable
    }
}
