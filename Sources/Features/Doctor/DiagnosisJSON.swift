import DataPlane
import LinkModel

/// The output of `doctor --json`. The keys are a stable interface: see
/// `Profiles/schema/doctor.schema.json`.
public struct DiagnosisJSON: Encodable {
    struct DataPlanes: Encodable {
        let kernel: Bool
        let engine: Bool
        let engineOnInterfaces: Bool
        @OrNull var choice: Choice?
    }

    struct Choice: Encodable {
        let backend: DataPlaneKind
        let reason: String
    }

    let linkcond: String
    let checks: [Diagnosis.Check]
    let dataPlanes: DataPlanes

    /// Makes the object for a diagnosis by this version of linkcond.
    public init(_ diagnosis: Diagnosis, version: String) {
        linkcond = version
        checks = diagnosis.checks
        dataPlanes = DataPlanes(
            kernel: diagnosis.servesKernelPlane, engine: diagnosis.servesEnginePlane,
            engineOnInterfaces: diagnosis.servesInterfacesByEngine,
            choice: diagnosis.choice.map { Choice(backend: $0.kind, reason: $0.reason) })
    }
}
