import LinkModel
import ProfileFormat

extension NetworkFindings {
    /// The text of a profile that does what the network does.
    ///
    /// - Parameters:
    ///   - name: The profile's name.
    ///   - date: The day.
    public func profileText(name: String, date: String) -> String {
        let profile = Profile(
            name: name, family: "learned", summary: "What the network before \(host) does",
            source: "linkcond doctor --network, \(date)", conditions: conditions)
        let comments =
            [
                "linkcond doctor --network says what stands in the middle; linkcond learn measures "
                    + "bandwidth, delay and loss."
            ]
            + all.map { finding in
                let isKnown = finding.status != .notMeasurable
                return "\(finding.check.rawValue): "
                    + (isKnown ? finding.detail : "not measurable: \(finding.detail)")
            }
        return ProfileWriter.yaml(profile, comments: comments)
    }
}
