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
        /// Undo it for the others by this command, on the interfaces that they report.
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
        var done: [Done] = []
        var failure: Int32?
        for id in ids {
            var words = ["--container", id]
            if case .undo = remedy { words.append(Self.reportWord) }
            let (code, interfaces) = try Self.start(Self.words(Process.arguments, words))
            if code == 0 || !interfaces.isEmpty { done.append(Done(id, interfaces)) }
            if code != 0 {
                failure = failure ?? code
                guard case .continueWithOthers = remedy else { break }
            }
        }
        guard let failure else { return true }
        try conclude(done, of: ids.count, remedy, console)
        throw ExitCode(failure)
    }

    /// A container, and the interfaces that were conditioned there, if they were reported.
    private struct Done {
        let id: String
        let interfaces: [String]
        var name: String { String(id.prefix(12)) }

        init(_ id: String, _ interfaces: [String]) { (self.id, self.interfaces) = (id, interfaces) }
    }

    private func conclude(
        _ done: [Done], of count: Int, _ remedy: Remedy, _ console: Console
    ) throws {
        let names = done.map(\.name).joined(separator: ", ")
        switch remedy {
        case .continueWithOthers:
            console.note("done for \(done.count) of the \(count) containers with that label")
        case .tell where done.isEmpty, .undo where done.isEmpty:
            console.note("none of the \(count) containers with that label was changed")
        case .tell: console.note("it is done already for \(names), and for no other container")
        case .undo(let words):
            // Other interfaces of the container may have conditions of that name for longer.
            let standing = try done.filter { done in
                let interfaces = done.interfaces.flatMap { ["-i", $0] }
                return try Self.start(
                    words + interfaces + ["--container", done.id, "--quiet"]
                ).code != 0
            }
            let rest = standing.map(\.name).joined(separator: ", ")
            console.note(
                standing.isEmpty
                    ? "it was undone for \(names), so that no container is changed"
                    : "it stands for \(rest), where it could not be undone")
        }
    }

    /// The option by which `apply` is asked to report the interfaces that it has conditioned.
    static let reportWord = "--report-interfaces"

    /// The command line with others in the place of the label.
    static func words(_ words: [String], _ others: [String]) -> [String] {
        var result: [String] = []
        var isValue = false
        for word in words {
            if isValue {
                isValue = false
            } else if word == "--label" || word.hasPrefix("--label=") {
                result += others
                isValue = word == "--label"
            } else {
                result.append(word)
            }
        }
        return result
    }

    /// Runs this program, and returns its exit code and the interfaces that it reports.
    private static func start(
        _ words: [String]
    ) throws -> (code: Int32, interfaces: [String]) {
        var report = try Pipe()
        var program = LinuxKernel.Program(OwnProgram.path, words)
        program.streams = [nil, nil, nil, report.writer]
        let process = try program.start()
        report.closeWriter()
        let code = Process.wait(for: process)?.shellCode ?? ExitStatus.failed.rawValue
        let text = report.read(upTo: nil, within: .zero).text
        return (code, text.split(separator: "\n").map(String.init))
    }
}
