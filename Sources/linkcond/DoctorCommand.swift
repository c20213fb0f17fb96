import ArgumentParser
import Conditioner
import DataPlanes
import LinuxKernel
import Multipath
import Sandbox

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
        let diagnosis = Self.addMultipath(to: Self.addBus(to: DataPlanes.diagnosis()))
        if json {
            try console.print(JSONText.text(of: DiagnosisJSON(diagnosis)))
        } else {
            try console.print(DiagnosisTable.text(diagnosis, isStyled: console.isStyled))
        }
        guard diagnosis.servesKernelPlane || diagnosis.servesEnginePlane else {
            throw ExitCode(ExitStatus.unavailable.rawValue)
        }
    }
    /// What `run --dbus` and the host's NetworkManager take.
    private static func addBus(to diagnosis: Diagnosis) -> Diagnosis {
        let name = "D-Bus"
        guard let lack = BusDiagnosis.ofThisHost() else {
            return diagnosis.adding(
                name, .ok, "programs in a run can ask NetworkManager and the portal", fix: nil)
        }
        return diagnosis.adding(name, .missing, lack.detail, fix: lack.fix)
    }

    /// What `run --multipath` takes. A sandbox has its own switch, which is on.
    private static func addMultipath(to diagnosis: Diagnosis) -> Diagnosis {
        let name = "Multipath TCP"
        do {
            try MultipathSupport.require()
        } catch {
            switch error {
            case .switchedOff: break
            default:
                return diagnosis.adding(
                    name, .missing, "\(error)", fix: "Run a kernel with CONFIG_MPTCP")
            }
        }
        return diagnosis.adding(
            name, .ok, "TCP in a run may use several interfaces (run --multipath)", fix: nil)
    }
}
