import HTTPAPI
import LinkModel
import LinkUnits
import ProxyControl

/// What toxics make of a link.
enum ToxicPlan {
    /// The conditions of a link on which these toxics act, which is by itself as `base` says.
    ///
    /// Each adds to those before: delays and jitters are summed, the lowest rate counts, and a packet
    /// survives all losses or none. `conditions` are those of a profile with settings.
    static func change(
        _ base: LinkChange, by toxics: [Toxic],
        conditions: (LinkChange) throws -> LinkConditions
    ) throws -> LinkChange {
        let toxics = toxics.filter(\.actsOnPackets)
        guard !toxics.isEmpty else { return base }
        var result = base
        for toxic in toxics {
            guard case .profile(let name) = toxic.kind else { continue }
            result = LinkChange(profile: name, settings: [])
        }
        let before = try conditions(result)
        var after = before
        for toxic in toxics { toxic.act(on: &after) }
        if let problem = after.problem {
            throw FieldProblem(field: problem.field, explanation: problem.explanation)
        }
        let settings = changes("down", before.down, after.down) + changes("up", before.up, after.up)
        result.settings = (result.settings ?? []) + settings
        return result
    }

    /// The fields that differ, as in `--set`.
    private static func changes(
        _ direction: String, _ before: DirectionConditions, _ after: DirectionConditions
    ) -> [String] {
        ConditionField.all.compactMap { field in
            guard let value = field.value(after)?.description,
                value != field.value(before)?.description
            else { return nil }
            return "\(direction).\(field.key)=\(value)"
        }
    }
}

extension Toxic {
    fileprivate func act(on link: inout LinkConditions) {
        switch kind {
        case .profile, .noop, .stream: break
        case .down:
            link.down.lose(everything)
            link.up.lose(everything)
        default:
            // Clients are on the app's side of the link.
            switch stream {
            case .upstream: act(on: &link.up)
            case .downstream: act(on: &link.down)
            }
        }
    }

    private var everything: LossModel { .random(.one) }

    private func act(on direction: inout DirectionConditions) {
        switch kind {
        case .latency(let milliseconds, let jitter):
            direction.delay += .milliseconds(milliseconds)
            guard jitter > 0 else { break }
            // Toxiproxy draws from all values of a range alike.
            let amount = (direction.jitter?.amount ?? .zero) + .milliseconds(jitter)
            direction.jitter = Jitter(
                amount: amount, distribution: direction.jitter?.distribution ?? .uniform)
        case .bandwidth(0): direction.lose(everything)
        case .bandwidth(let rate):
            // Its kilobytes are 1000 bytes: it sleeps a millisecond for each `rate` of them.
            let bits = UInt64(rate).multipliedReportingOverflow(by: 8000)
            let limit = min(
                Bandwidth.bitsPerSecond(bits.overflow ? .max : bits.partialValue),
                DirectionConditions.fastestBandwidth)
            direction.bandwidth = min(direction.bandwidth ?? limit, limit)
        case .loss(let percent, let burst):
            let mean = Ratio(min(1, percent / 100)) ?? .one
            direction.lose(burst.map { .bursts(mean: mean, burst: $0) } ?? .random(mean))
        case .profile, .down, .noop, .stream: break
        }
    }
}

extension DirectionConditions {
    /// Adds a loss that does not depend on the one before.
    fileprivate mutating func lose(_ other: LossModel) {
        let survival = (1 - loss.mean.value) * (1 - other.mean.value)
        let mean = Ratio(1 - survival) ?? .one
        switch (loss, other) {
        case _ where mean == .one: loss = .random(.one)
        case (_, .bursts(_, let burst)), (.bursts(_, let burst), _):
            loss = .bursts(mean: mean, burst: burst)
        default: loss = .random(mean)
        }
    }
}
