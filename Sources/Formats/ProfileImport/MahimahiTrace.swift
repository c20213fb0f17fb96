import LinkModel
import LinkUnits
import ProfileFormat

/// A delivery trace of mahimahi. It stays a separate file that the profile names.
enum MahimahiTrace {
    /// The profile of a trace. A trace whose name ends with `.up`, as mahimahi's own do, is for the
    /// uplink.
    static func draft(_ file: ForeignFile, upTrace: ForeignFile?) throws(ProfileError) -> Draft {
        let isUp = upTrace == nil && file.lastComponent.hasSuffix(".up")
        var draft = Draft(name: file.stem)
        draft.recognise()
        draft.summary = "Recorded opportunities to deliver a packet"
        try read(isUp ? nil : file, \.down, into: &draft)
        try read(isUp ? file : upTrace, \.up, into: &draft)
        draft.explain(
            "A trace has no delay; give the directions one with delay: as mm-delay does. mm-link's "
                + "queue has no end unless told so, linkcond's has unless queue: says how long.")
        if upTrace == nil {
            let missing = isUp ? "down" : "up"
            draft.explain("There is one trace only, so \(missing) has no limit.")
        }
        return draft
    }

    private static func read(
        _ file: ForeignFile?, _ direction: WritableKeyPath<LinkConditions, DirectionConditions>,
        into draft: inout Draft
    ) throws(ProfileError) {
        guard let file else { return }
        guard let path = file.path else {
            throw ProfileError(
                file: file.name,
                explanation: "is a trace, to which a profile points; give it as a file")
        }
        let text = try file.text(limit: DeliveryTrace.sizeLimit)
        let trace: DeliveryTrace
        do {
            trace = try DeliveryTrace(parsing: text)
        } catch {
            throw ProfileError(file: file.name, explanation: error.description)
        }
        draft.conditions[keyPath: direction].trace = path
        draft.explain(
            "\(file.lastComponent): \(trace.opportunityCount) packets in "
                + "\(trace.period.unitText), \(trace.meanBandwidth) on average.")
    }
}

extension DeliveryTrace {
    /// Enough for a day of a fast link.
    static let sizeLimit = 64 << 20
}
