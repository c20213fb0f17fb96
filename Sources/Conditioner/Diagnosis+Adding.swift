extension Diagnosis {
    /// The diagnosis with one thing more that was looked at.
    public func adding(
        _ name: String, _ status: Check.Status, _ detail: String, fix: String?
    ) -> Diagnosis {
        var diagnosis = Diagnosis(
            checks: checks + [Check(name: name, status: status, detail: detail, fix: fix)],
            servesKernelPlane: servesKernelPlane, servesEnginePlane: servesEnginePlane)
        diagnosis.servesInterfacesByEngine = servesInterfacesByEngine
        return diagnosis
    }
}
