import ArgumentParser
import FoundationEssentials
import Glibc
import LinuxKernel
import Verification

/// `linkcond verify-link`: sets one link up for `verify`, which starts it in a process of its own
/// for every profile.
struct VerifyLinkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-link", abstract: "Measures one link for linkcond verify.",
        shouldDisplay: false)

    @Argument var profile: String

    @Option(name: .customLong("set")) var settings: [String] = []

    @Option var backend = VerifyCommand.Backend.auto

    @Option var seed: UInt64?

    @Option(help: "Where the plan is, and where the reports go.") var directory: String

    func run() throws {
        ChildProgram.endWithParent()
        do {
            let backend = try MeasuredLink.run(self, directory: directory)
            try Data(backend.utf8).write(to: URL(filePath: directory + "/backend"))
        } catch let failure as MeasuredLink.SetUpFailure {
            throw ExitCode(failure.code)
        }
    }
}
