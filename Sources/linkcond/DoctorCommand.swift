import ArgumentParser
import Doctor

/// `linkcond doctor`
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Says what this host can do, and how to get what it lacks.",
        discussion: """
            The kernel is asked by using each of its features in a network namespace made for \
            that, which for those of apply takes root; nothing of the host's network is touched.

            It ends with exit code 69 if neither the kernel nor the packet engine can carry out a \
            profile on this host.

            Examples:
              sudo linkcond doctor
              sudo linkcond doctor --json
            """)

    @Flag(help: "Print JSON, as Profiles/schema/doctor.schema.json describes it.")
    var json = false

    @OptionGroup var global: GlobalOptions

    func run() throws {
        let console = global.console
        let diagnosis = Diagnosis.ofThisHost()
        if json {
            try console.print(JSONText.text(of: DiagnosisJSON(diagnosis)))
        } else {
            try console.print(DiagnosisTable.text(diagnosis, isStyled: console.isStyled))
        }
        guard diagnosis.servesKernelPlane || diagnosis.servesEnginePlane else {
            throw ExitCode(ExitStatus.unavailable.rawValue)
        }
    }
}
