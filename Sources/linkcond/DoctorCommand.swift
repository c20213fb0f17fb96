import ArgumentParser
import Doctor
import LinkModel

/// `linkcond doctor`
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Reports what this host supports, and how to get what is missing.",
        discussion: """
            It tests each kernel feature in a new network namespace and leaves the host's network \
            untouched. The features for apply need root.

            The exit code is 69 if neither the kernel nor the packet engine can apply a profile \
            on this host.

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
            try console.print(
                JSONText.text(of: DiagnosisJSON(diagnosis, version: "\(ProgramVersion.current)")))
        } else {
            try console.print(DiagnosisTable.text(diagnosis, isStyled: console.isStyled))
        }
        guard diagnosis.servesKernelPlane || diagnosis.servesEnginePlane else {
            throw ExitCode(.unavailable)
        }
    }
}
