import ArgumentParser
import FoundationEssentials
import HostConditioning
import LinkModel
import LinuxKernel

/// The option that selects the networks of several containers.
///
/// A process is in one network namespace, so this program is started once for each of them.
struct LabelOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The interfaces of all containers with this label.",
            more: "As docker, podman and nerdctl know it.", valueName: "key[=value]"))
    var label: String?

    /// What to do if one of the containers fails.
    enum Remedy {
        /// Undo it for the others by this command.
        case undo([String])
        /// Say for which it is done, since what was there before is gone.
        case tell
        /// Go on with the others.
        case continueWithOthers
    }

    /// Checks that no other network is chosen as well.
    func validate(_ target: TargetOptions) throws {
        guard label != nil, target.isGiven else { return }
        throw ValidationError(
            "--label contradicts --netns, --pid and --container; give one of them.")
    }

    /// Does what the command line says for each of the containers; false without a label.
    func run(_ console: Console, _ remedy: Remedy) throws -> Bool {
        guard let label else { return false }
        let containers = try LabelledContainers(label)
        let (ids, remarks) = try containers.find(
            environment: ProcessInfo.processInfo.environment)
        for remark in remarks { console.note(remark) }
        var done: [String] = []
        var failure: Int32?
        for id in ids {
            let code = try Self.start(Self.words(Process.arguments, for: id))
            if code == 0 {
                done.append(id)
            } else {
                failure = failure ?? code
                guard case .continueWithOthers = remedy else { break }
            }
        }
        guard let failure else { return true }
        try conclude(done, of: ids.count, remedy, console)
        throw ExitCode(failure)
    }

    private func conclude(
        _ done: [String], of count: Int, _ remedy: Remedy, _ console: Console
    ) throws {
        let names = done.map { String($0.prefix(12)) }.joined(separator: ", ")
        switch remedy {
        case .continueWithOthers:
            console.note("done for \(done.count) of the \(count) containers with that label")
        case .tell where done.isEmpty, .undo where done.isEmpty:
            console.note("none of the \(count) containers with that label was changed")
        case .tell: console.note("it is done already for \(names), and for no other container")
        case .undo(let words):
            let standing = try done.filter {
                try Self.start(words + ["--container", $0, "--quiet"]) != 0
            }
            let rest = standing.map { String($0.prefix(12)) }.joined(separator: ", ")
            console.note(
                standing.isEmpty
                    ? "it was undone for \(names), so that no container is changed"
                    : "it stands for \(rest), where it could not be undone")
        }
    }

    /// The command line with a container in the place of the label.
    static func words(_ words: [String], for container: String) -> [String] {
        var result: [String] = []
        var isValue = false
        for word in words {
            if isValue {
                isValue = false
            } else if word == "--label" || word.hasPrefix("--label=") {
                result += ["--container", container]
                isValue = word == "--label"
            } else {
                result.append(word)
            }
        }
        return result
    }

    /// Runs this program, and returns its exit code.
    private static func start(_ words: [String]) throws -> Int32 {
        let process = try LinuxKernel.Program(OwnProgram.path, words).start()
        return Process.wait(for: process)?.shellCode ?? ExitStatus.failed.rawValue
    }
}
