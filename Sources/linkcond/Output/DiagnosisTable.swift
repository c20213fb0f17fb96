import DataPlane
import Doctor
import LinkModel

/// What `doctor` found, for people.
enum DiagnosisTable {
    static func text(_ diagnosis: Diagnosis, isStyled: Bool) -> String {
        var table = Table(["CHECK", "STATUS", "FOUND"])
        for check in diagnosis.checks {
            table.add([check.name, check.status.rawValue, check.detail])
        }
        var text = table.text(isStyled: isStyled)
        // One remedy often fixes several problems; it is printed once.
        var said: Set<String> = []
        for fix in diagnosis.checks.compactMap(\.fix) where said.insert(fix).inserted {
            text += "\n" + fix + "\n"
        }
        return text + "\n" + verdict(diagnosis) + "\n"
    }

    /// Which commands work here, and with what.
    private static func verdict(_ diagnosis: Diagnosis) -> String {
        let apply =
            diagnosis.servesKernelPlane || diagnosis.servesInterfacesByEngine
            ? "linkcond apply works on this host."
            : diagnosis.isOfRoot || diagnosis.isAskedByRoot && !diagnosis.mayChangeNetwork
                ? "linkcond apply does not work on this host yet."
                : diagnosis.isAskedByRoot
                    ? "linkcond apply may work on this host; to try it, root needs CAP_SYS_ADMIN."
                    : "linkcond apply takes root; whether it works says: sudo linkcond doctor"
        let run =
            diagnosis.servesEnginePlane
            ? "linkcond run works on this host." : "linkcond run does not work on this host yet."
        // The part after the semicolon refers to `linkcond doctor`.
        let choice = diagnosis.choice.map {
            "Ordinary profiles get the \($0.kind.title): \($0.reason.prefix { $0 != ";" })."
        }
        return [apply, run, choice].compactMap(\.self).joined(separator: "\n")
    }
}
