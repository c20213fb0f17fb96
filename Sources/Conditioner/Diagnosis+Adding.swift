extension Diagnosis {
    /// The diagnosis with one thing more that was looked at.
    public func adding(
        _ name: String, _ status: Check.Status, _ detail: String, fix: String?
    ) -> Diagnosis {
        var diagnosis = self
        diagnosis.checks.append(Check(name: name, status: status, detail: detail, fix: fix))
        return diagnosis
    }
}
