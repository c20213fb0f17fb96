import Conditioner

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

/// What `doctor --json` prints. The keys are a promise: see `Profiles/schema/doctor.schema.json`.
struct DiagnosisJSON: Encodable {
    struct Check: Encodable {
        let name: String
        let status: String
        let detail: String
        let fix: OrNull<String>
    }

    struct DataPlanes: Encodable {
        let kernel: Bool
        let engine: Bool
        let engineOnInterfaces: Bool
    }

    let checks: [Check]
    let dataPlanes: DataPlanes

    init(_ diagnosis: Diagnosis) {
        checks = diagnosis.checks.map { check in
            Check(
                name: check.name, status: check.status.rawValue, detail: check.detail,
                fix: OrNull(check.fix))
        }
        dataPlanes = DataPlanes(
            kernel: diagnosis.servesKernelPlane, engine: diagnosis.servesEnginePlane,
            engineOnInterfaces: diagnosis.servesInterfacesByEngine)
    }
}
