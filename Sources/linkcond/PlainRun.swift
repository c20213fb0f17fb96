import ArgumentParser
import Catalog
import LinkModel
import LinuxKernel
import Sandbox
import SandboxRuns
import UserCatalog

/// A run that names only a profile, perhaps an uplink, and a command.
///
/// The argument parser inspects the type of every option, and for each of them the Swift runtime
/// searches all protocol conformances of the program. For the options of `RunCommand` that takes more
/// than a third of the time in which a run starts. So the most frequent form is read here; every other
/// one, and every mistake, is left to `RunCommand`.
struct PlainRun: Equatable {
    private(set) var profile = ""
    private(set) var uplink = SandboxRequest.Uplink.auto

    /// Reads the words of `linkcond`; nil if they are anything else.
    init?(words: [String]) {
        guard words.first == "run", let hyphens = words.firstIndex(of: "--"),
            hyphens + 1 < words.count
        else { return nil }
        var words = words[1..<hyphens]
        while let word = words.popFirst() {
            if word == "--uplink" {
                guard let uplink = words.popFirst().flatMap(SandboxRequest.Uplink.init(rawValue:))
                else { return nil }
                self.uplink = uplink
            } else {
                guard profile.isEmpty, !word.hasPrefix("-") else { return nil }
                profile = word
            }
        }
        guard !profile.isEmpty else { return nil }
    }

    /// Runs the command; ends with an `ExitCode`.
    func run() throws -> Never {
        LinuxKernel.KernelThread.hurry()
        let found = try UserCatalog.profiles.entry(named: profile).profile
        var request = SandboxRequest(
            conditions: try found.conditions(changedBy: []), profile: found.id,
            mark: InterfaceOverride().mark(found),
            command: LinuxKernel.Process.argumentsBehindHyphens)
        request.uplink = uplink
        let console = Console()
        try request.complete(isOverridden: false, console) {
            (isOverridden, console) throws(SandboxError) in
            try SandboxBus.bus(isOverridden: isOverridden, console)
        }
        throw ExitCode(try Sandbox.run(request, listener: console).exitCode)
    }
}

extension SandboxRequest {
    /// Adds what is the same for every run: the terminal, the user, the bus, and what the command is
    /// told of its network.
    ///
    /// - Parameters:
    ///   - isOverridden: Whether the user overrides what the network looks like.
    ///   - bus: Makes the bus if there is to be one, given whether anything is overridden.
    mutating func complete(
        isOverridden: Bool, _ console: Console,
        bus: (_ isOverridden: Bool, Console) throws(SandboxError) -> SandboxBus?
    ) throws(SandboxError) {
        isJob = console.hasTerminal
        let environment = LinuxKernel.Process.environment
        if let user = InvokingUser.behindSudo(environment: environment) {
            identity = user.identity
            variables = user.variables
        }
        self.bus = try bus(isOverridden || saysMoreThanKinds, console)
        describeNetwork()
        for note in proxyNotes(environment) { console.note(note) }
    }
}
