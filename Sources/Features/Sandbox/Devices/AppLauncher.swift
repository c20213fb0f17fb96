import FoundationEssentials
import LinkModel
import LinuxKernel
import ScenarioPlaying
import Scenarios
import SystemPackage

/// Starts the app of a device.
struct AppLauncher {
    let request: SandboxRequest
    let device: SandboxDevice
    /// The network namespace of the device.
    let network: FileDescriptor
    /// The variables by which programs find the device's message bus.
    let busVariables: [String: String]

    /// Where programs run that are started with these options of a relaunch, and as whom.
    func surroundings(_ options: LaunchOptions) -> CommandSurroundings {
        let options = device.launch.overridden(by: options)
        let user = options.user.flatMap { request.users[$0] }
        var variables = device.variables.merging(busVariables) { $1 }
        variables.merge(user?.variables ?? [:]) { $1 }
        if let home = options.home { variables["HOME"] = Self.absolute(home) }
        variables.merge(options.environment) { $1 }
        return CommandSurroundings(
            network: network, identity: user == nil ? request.identity : user?.identity,
            variables: variables)
    }

    /// Starts the command and returns its process ID.
    func start(_ options: LaunchOptions) throws(SandboxError) -> Int32 {
        if let home = options.home ?? device.launch.home { try requireDirectory(home) }
        var program = Program(words(options))
        let surroundings = surroundings(options)
        program.network = surroundings.network
        program.identity = surroundings.identity
        program.variables = surroundings.variables
        do {
            return try program.start()
        } catch {
            throw explain(error, of: program)
        }
    }

    /// The program and its arguments.
    func words(_ options: LaunchOptions) -> [RawText] {
        guard let arguments = options.arguments ?? device.launch.arguments else {
            return device.command
        }
        return device.command.prefix(1) + arguments.map { RawText($0) }
    }

    private static func absolute(_ path: String) -> String {
        FilePath(FileManager.default.currentDirectoryPath).pushing(FilePath(path))
            .lexicallyNormalized().string
    }

    private func requireDirectory(_ home: String) throws(SandboxError) {
        var isDirectory = false
        guard FileManager.default.fileExists(atPath: home, isDirectory: &isDirectory), isDirectory
        else {
            throw SandboxError(
                "\(device.name.map { "\($0): " } ?? "")home \(home): there is no such directory; "
                    + "make it with mkdir -p, before the app is started there")
        }
    }

    private func explain(_ failure: Program.Failure, of program: Program) -> SandboxError {
        let name = program.arguments.first.map { "\($0)" } ?? ""
        guard failure.isOfProgram else {
            return SandboxError(
                "\(name): cannot start a process: \(failure.errno)"
                    + ProcessLimit.hint(failure.errno))
        }
        guard failure.errno == .noSuchFileOrDirectory || !program.isInPath else {
            return SandboxError(
                "\(name): cannot be executed: \(failure.errno)", status: .notExecutable)
        }
        return SandboxError("\(name): command not found", status: .notFound)
    }
}
