/// The command and the parts with their cells, for engines without their own format here.
struct JSONPlan: PlanFormat {
    let mostJobs: Int? = nil

    private struct Plan: Encodable {
        let command: [String]
        let parts: [CIPlan.Part]
    }

    func text(of matrix: PlannedMatrix) throws -> String {
        try line(
            Plan(
                command: matrix.words + ["--report", "report"] + matrix.commandWords,
                parts: matrix.parts))
    }
}
