import ArgumentParser
import Catalog
import DataPlane
import KernelPlane
import LinkModel
import ProfileFormat
import ProfileImport
import Scenarios
import UserCatalog

/// `linkcond show PROFILE`
struct ShowCommand: ParsableCommand {
    /// The output format.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case table, yaml, json, tc, nlc, tcconfig, throttle, webpagetest, atc
    }

    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows one profile or scenario in full.",
        usage: "linkcond show [<options>] <profile>",
        discussion: HelpScreen.discussion(
            """
            PROFILE is a name or alias (LTE, wifi), a family and a name (webpagetest/LTE), or the \
            path of a YAML file (./slow.yaml). Case does not matter; spaces and hyphens are the \
            same.
            """, reference: reference, examples: examples, moreExamples: moreExamples))

    @Argument(
        help: "The name of a profile or a scenario, or the path of its file.",
        completion: .profilesAndScenarios)
    var profile: String

    @Option(help: "The output format.")
    var format: Format?

    @Option(
        name: .shortAndLong,
        help: "The interface for --format tc and tcconfig.", completion: .interfaces)
    var interface = "eth0"

    @Flag(
        help: """
            Short for --format json, as show.schema.json or show-scenario.schema.json in \
            Profiles/schema describes it.
            """)
    var json = false

    @Option(help: "The random seed for a scenario's times.")
    var seed: UInt64?

    @OptionGroup(title: "Which traffic") var selectors: SelectorOptions

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if selectors.areGiven, format != .tc {
            throw ValidationError(
                "options such as --to choose what --format tc conditions; add it, or leave them "
                    + "out.")
        }
        if json, let format, format != .json {
            throw ValidationError(
                "--json and --format \(format) contradict each other; leave one out.")
        }
    }

    func run() throws {
        let console = global.console
        let entry: ProfileCatalog.Entry
        switch try UserCatalog.profileOrScenario(named: profile) {
        case .scenario(let entry): return try show(entry)
        case .profile(let found): entry = found
        }
        guard seed == nil else {
            throw UsageError(
                description: "--seed: \(entry.profile.id) is a profile; only a scenario has times")
        }
        console.explain("\(profile) is \(entry.profile.id), \(entry.file ?? "built in")")
        switch json ? .json : format ?? .table {
        case .table:
            try console.print(ProfileTable.show(entry, isStyled: console.isStyled))
        case .yaml:
            try console.print(ProfileWriter.yaml(entry.profile))
        case .tc:
            try console.print(try script(entry.profile))
        case .json:
            try console.print(JSONText.text(of: ProfileJSON(entry.profile)))
        case .nlc: try export(entry.profile, as: .nlc)
        case .tcconfig: try export(entry.profile, as: .tcconfig)
        case .throttle: try export(entry.profile, as: .throttle)
        case .webpagetest: try export(entry.profile, as: .webpagetest)
        case .atc: try export(entry.profile, as: .atc)
        }
    }

    private func show(_ entry: ScenarioCatalog.Entry) throws {
        let console = global.console
        console.explain("\(profile) is \(entry.scenario.name), \(entry.file ?? "built in")")
        switch json ? .json : format ?? .table {
        case .table:
            try console.print(ScenarioTable.show(entry, seed: seed, isStyled: console.isStyled))
        case .yaml:
            try console.print(entry.text)
        case .json:
            try console.print(
                JSONText.text(of: ScenarioJSON(entry.scenario, file: entry.file, seed: seed)))
        case let format:
            throw UsageError(
                description:
                    "--format \(format): \(entry.scenario.name) is a scenario; its formats "
                    + "are table, yaml and json")
        }
    }

    private func export(_ profile: Profile, as format: ProfileExport.Format) throws {
        let export = try ProfileExport.text(of: profile, as: format, interface: interface)
        for difference in export.differences { global.console.note(difference) }
        try global.console.print(export.text)
    }

    private func script(_ profile: Profile) throws -> String {
        let request = ApplyRequest(
            conditions: profile.conditions, profile: profile.id,
            selector: try selectors.selector(), now: 0)
        return try request.examplePlan(interface: interface).script
    }
}
