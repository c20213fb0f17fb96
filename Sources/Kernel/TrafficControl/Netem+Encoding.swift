import CNetlink
import LinkUnits
import Netlink

extension Netem {
    /// Missing from older system headers; kernels before 6.6 ignore it.
    private static let seedAttribute = 14

    /// Writes the content of `TCA_OPTIONS`.
    ///
    /// Writes every attribute every time: the kernel keeps the old value of an absent one.
    func encode(into builder: borrowing MessageBuilder) {
        var options = tc_netem_qopt()
        options.latency = KernelEncoding.ticks(delay)
        options.jitter = KernelEncoding.ticks(jitter)
        options.limit = limit
        options.gap = reorder > .zero ? gap : 0
        options.duplicate = KernelEncoding.probability(duplicate)
        if case .random(let ratio) = loss { options.loss = KernelEncoding.probability(ratio) }
        builder.append(options)

        builder.put(Int(TCA_NETEM_LATENCY64), Int64(delay.wholeNanoseconds))
        builder.put(Int(TCA_NETEM_JITTER64), Int64(jitter.wholeNanoseconds))
        builder.put(Int(TCA_NETEM_CORR), tc_netem_corr())
        builder.put(
            Int(TCA_NETEM_REORDER),
            tc_netem_reorder(probability: KernelEncoding.probability(reorder), correlation: 0))
        builder.put(
            Int(TCA_NETEM_CORRUPT),
            tc_netem_corrupt(probability: KernelEncoding.probability(corrupt), correlation: 0))
        if case .gilbert(let p, let r) = loss {
            builder.nest(Int(TCA_NETEM_LOSS)) { builder in
                // h: the probability that a packet survives the bad state; k1: that one is lost in
                // the good state.
                builder.put(
                    Int(NETEM_LOSS_GE),
                    tc_netem_gemodel(
                        p: KernelEncoding.probability(p), r: KernelEncoding.probability(r),
                        h: 0, k1: 0))
            }
        }
        let (field, wide) = KernelEncoding.rate(rate)
        builder.put(
            Int(TCA_NETEM_RATE),
            tc_netem_rate(
                rate: field, packet_overhead: packetOverhead, cell_size: 0, cell_overhead: 0))
        if let wide { builder.put(Int(TCA_NETEM_RATE64), wide) }
        if jitter > .zero {
            builder.put(
                Int(TCA_NETEM_DELAY_DIST),
                bytes: distribution?.table ?? DelayDistribution.uniformTable)
        }
        if let seed { builder.put(Self.seedAttribute, seed) }
    }

    /// Reads the content of `TCA_OPTIONS`. The kernel does not report the distribution.
    init?(options: tc_netem_qopt, attributes: Attributes) {
        self.init()
        limit = options.limit
        delay =
            attributes.value(Int(TCA_NETEM_LATENCY64), as: Int64.self)
            .map { .nanoseconds(max(0, $0)) }
            ?? KernelEncoding.duration(ticks: options.latency)
        jitter =
            attributes.value(Int(TCA_NETEM_JITTER64), as: Int64.self)
            .map { .nanoseconds(max(0, $0)) }
            ?? KernelEncoding.duration(ticks: options.jitter)
        duplicate = KernelEncoding.ratio(probability: options.duplicate)
        loss = .random(KernelEncoding.ratio(probability: options.loss))
        if let model = attributes.nested(Int(TCA_NETEM_LOSS))?
            .value(Int(NETEM_LOSS_GE), as: tc_netem_gemodel.self)
        {
            loss = .gilbert(
                p: KernelEncoding.ratio(probability: model.p),
                r: KernelEncoding.ratio(probability: model.r))
        }
        if let value = attributes.value(Int(TCA_NETEM_CORRUPT), as: tc_netem_corrupt.self) {
            corrupt = KernelEncoding.ratio(probability: value.probability)
        }
        if let value = attributes.value(Int(TCA_NETEM_REORDER), as: tc_netem_reorder.self) {
            reorder = KernelEncoding.ratio(probability: value.probability)
            gap = options.gap
        }
        if let value = attributes.value(Int(TCA_NETEM_RATE), as: tc_netem_rate.self) {
            let wide = attributes.value(Int(TCA_NETEM_RATE64), as: UInt64.self)
            rate = KernelEncoding.bandwidth(bytesPerSecond: wide ?? UInt64(value.rate))
            packetOverhead = value.packet_overhead
        }
        seed = attributes.value(Self.seedAttribute, as: UInt64.self)
    }
}
