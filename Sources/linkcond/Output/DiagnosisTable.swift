import Doctor

/// What `doctor` found, for people.
enum DiagnosisTable {
    static func text(_ diagnosis: Diagnosis, isStyled: Bool) -> String {
        var table = Table([
            .init(title: "CHECK"), .init(title: "STATUS"), .init(title: "FOUND"),
        ])
        for check in diagnosis.checks {
            table.add([check.name, check.status.rawValue, check.detail])
        }
        var text = table.text(isStyled: isStyled)
        // One remedy often mends several lacks, and is said once.
        var said: Set<String> = []
        for fix in diagnosis.checks.compactMap(\.fix) where said.insert(fix).inserted {
            text += "\n" + fix + "\n"
        }
        return text + "\n" + verdict(diagnosis) + "\n"
    }

    /// Which verbs serve here.
    private static func verdict(_ diagnosis: Diagnosis) -> String {
        let apply =
            diagnosis.servesKernelPlane
            ? "linkcond apply works on this host."
            : diagnosis.servesInterfacesByEngine
                ? "linkcond apply works on this host, with the packet engine."
                : diagnosis.isOfRoot
                    ? "linkcond apply does not work on this host yet."
                    : "linkcond apply takes root; whether it works says: sudo linkcond doctor"
        return apply + "\n"
            + (diagnosis.servesEnginePlane
                ? "linkcond run works on this host, with the packet engine."
                : "linkcond run does not work on this host yet.")
    }
}
