import LinkModel

/// The output of `doctor --network --json`. The keys are a stable interface: see
/// `Profiles/schema/doctor-network.schema.json`.
public struct NetworkFindingsJSON: Encodable {
    struct CheckJSON: Encodable {
        let name: String
        let status: String
        @OrNull var result: String?
        @OrNull var answer: String?
        @OrNull var bytes: Int?
        let detail: String

        init(_ finding: NetworkFinding) {
            (name, status) = (finding.check.rawValue, finding.status.rawValue)
            (result, answer) = (finding.result, finding.answer?.rawValue)
            (bytes, detail) = (finding.bytes, finding.detail)
        }
    }

    let linkcond: String
    let host: String
    @OrNull var problem: String?
    let checks: [CheckJSON]
    @OrNull var middle: MiddleboxJSON?
    @OrNull var file: String?

    /// Makes the object for findings and the file of their profile.
    public init(_ findings: NetworkFindings, file: String?, version: String) {
        (linkcond, host, self.file) = (version, findings.host, file)
        problem = findings.problem?.description
        checks = findings.all.map(CheckJSON.init)
        middle = findings.conditions.middle.map(MiddleboxJSON.init)
    }
}
