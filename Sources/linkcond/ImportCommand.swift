public import ArgumentParser
import Catalog
import FoundationEssentials
import LinkModel
public import ProfileImport
import UserCatalog

extension ForeignFormat: ExpressibleByArgument {}

/// `linkcond import FILE`
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Converts other tools' conditions to profiles.",
        discussion: """
            FILE is recognised by its content, or given by --format:
              nlc          Apple Network Link Conditioner, property lists of any kind
              tcconfig     the format of tcshow and tcset --import-setting
              throttle     the file of sitespeed's throttle --config, or the connectivity in \
            configurations and results of sitespeed.io and browsertime
              webpagetest  connectivity.ini
              atc          Augmented Traffic Control, profiles or settings
              chrome       throttling of Lighthouse, DevTools, Puppeteer and CDP
              mahimahi     a delivery trace, which the profile refers to

            The profile is printed as YAML. Comments explain differences from the file: round \
            trips are halved into one-way delays, and Chrome's per-request numbers are converted \
            to those of the link. Settings that a profile cannot express are also noted on \
            standard error.

            A file with several profiles needs --only NAME, --output DIRECTORY/ or --save.

            Examples:
              linkcond import throttle.json
              linkcond import com.apple.network.prefPaneSimulate.plist --save
              linkcond import connectivity.ini --only Cable --output cable.yaml
              linkcond import Verizon-LTE.down --up Verizon-LTE.up --name Verizon
              tcshow eth0 | linkcond import -
            """)

    @Argument(
        help: "The file; - is standard input.", completion: .file())
    var file: String

    @Option(help: "The format of the file, if it is not recognised.")
    var format: ForeignFormat?

    @Option(
        help: ArgumentHelp("Only the profile with this name in the file.", valueName: "name"))
    var only: String?

    @Option(help: "A new name for the profile.")
    var name: String?

    @Option(
        help: ArgumentHelp(
            "The trace of the up direction, if the file is a mahimahi trace.",
            valueName: "file"),
        completion: .file())
    var up: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Where to write: a file, a directory (with a trailing slash) for one file per "
                + "profile, or - for standard output.", valueName: "path"),
        completion: .file())
    var output: String?

    @Flag(
        help: ArgumentHelp(
            "Write to your profile directory, ~/.config/linkcond/profiles, where every verb finds "
                + "profiles by name."))
    var save = false

    @Flag(help: "Overwrite existing files.")
    var force = false

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if save, output != nil {
            throw ValidationError("--save and --output contradict each other; leave one out.")
        }
        if let name, name.isEmpty || name.contains("/") {
            throw ValidationError("--name \"\(name)\" is empty or has a slash; choose another.")
        }
    }

    func run() throws {
        let console = global.console
        let request = ImportRequest(
            file, format: format, upTrace: up, only: only, name: name)
        let profiles = try request.profiles()
        switch try destination() {
        case .standardOutput:
            let profile = try request.single(profiles, "print")
            say(profiles, console)
            try console.print(profile.yaml)
        case .file(let file):
            let profile = try request.single(profiles, "write to one file")
            say(profiles, console)
            try ImportFiles.write([(file, profile.yaml)], isForced: force)
            console.report("wrote \(profile.profile.name) to \(file)")
        case .directory(let directory):
            let names = ImportFiles.names(for: profiles.map(\.profile.name))
            let files = names.map { directory.last == "/" ? directory + $0 : "\(directory)/\($0)" }
            say(profiles, console)
            let texts = zip(files, profiles).map { ($0, $1.yaml) }
            if save {
                try UserDirectories().acting { try ImportFiles.write(texts, isForced: force) }
            } else {
                try ImportFiles.write(texts, isForced: force)
            }
            for (file, profile) in zip(files, profiles) {
                console.report("wrote \(profile.profile.name) to \(file)")
            }
            noteClashes(of: Set(files), console)
        }
    }

    private enum Destination {
        case standardOutput
        case file(String)
        case directory(String)
    }

    private func destination() throws(UsageError) -> Destination {
        if save {
            guard let directory = UserDirectories().ownProfiles else {
                throw UsageError(
                    description: "--save: neither HOME nor XDG_CONFIG_HOME says where; use --output"
                )
            }
            return .directory(directory)
        }
        guard let output, output != "-" else { return .standardOutput }
        var isDirectory = false
        let exists = FileManager.default.fileExists(atPath: output, isDirectory: &isDirectory)
        return output.last == "/" || exists && isDirectory ? .directory(output) : .file(output)
    }

    private func say(_ profiles: [ImportedProfile], _ console: Console) {
        for profile in profiles {
            let place = profiles.count == 1 ? "" : "\(profile.profile.name): "
            for remark in profile.remarks {
                switch remark {
                case .omission: console.note(place + remark.text)
                case .explanation(let text): console.explain(place + text)
                }
            }
        }
    }

    /// Notes which of the files just written have names that refer to other profiles first.
    private func noteClashes(of files: Set<String>, _ console: Console) {
        let entries = UserCatalog.profiles.all().entries
        for clash in ProfileCatalog.clashes(among: entries) {
            if let file = clash.entry.file, files.contains(file) { console.note("\(clash)") }
        }
    }
}
