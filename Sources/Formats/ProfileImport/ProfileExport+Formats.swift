import LinkModel
import LinkUnits

extension NLCPlist {
    /// Settings with this one profile; Apple's tool reads whole kbit/s and whole milliseconds.
    static func value(of profile: Profile) -> ForeignValue {
        let conditions = profile.conditions.withExplicitLoss
        var table: [String: ForeignValue] = [
            "DNSDelayValue": .number((conditions.dnsDelay ?? .zero).milliseconds.rounded()),
            "ExcludeLoopback": .flag(true), "ProtocolFamily": .number(0),
            "RunOnInterface": .text("All"),
        ]
        for (prefix, direction) in [("Downlink", conditions.down), ("Uplink", conditions.up)] {
            table["\(prefix)Bandwidth"] = .number(direction.bandwidth?.wholeKilobits ?? 0)
            table["\(prefix)BandwidthUnit"] = .number(0)
            table["\(prefix)Delay"] = .number(direction.delay.milliseconds.rounded())
            table["\(prefix)PacketLossRatio"] = .number(direction.loss.mean.percentage)
        }
        return .table(["Profiles": .table([profile.name: .table(table)])])
    }
}

extension TCConfigJSON {
    /// What `tcset --import-setting` reads.
    static func value(of profile: Profile, interface: String) -> ForeignValue {
        let conditions = profile.conditions.withExplicitLoss
        return .table([
            interface: .table([
                "incoming": rules(conditions.down), "outgoing": rules(conditions.up),
            ])
        ])
    }

    private static func rules(_ direction: DirectionConditions) -> ForeignValue {
        var rule: [String: ForeignValue] = [:]
        if let bandwidth = direction.bandwidth {
            let (kilobits, rest) = bandwidth.bitsPerSecond.quotientAndRemainder(dividingBy: 1000)
            rule["rate"] = .text(rest == 0 ? "\(kilobits)Kbps" : "\(bandwidth.bitsPerSecond)bps")
        }
        if direction.delay > .zero { rule["delay"] = time(direction.delay) }
        if let jitter = direction.jitter {
            rule["delay-distro"] = time(jitter.amount)
            if jitter.distribution != .normal, jitter.distribution != .uniform {
                rule["delay-distribution"] = .text(jitter.distribution.rawValue)
            }
        }
        let shares = [
            ("loss", direction.loss.mean), ("duplicate", direction.duplicate),
            ("corrupt", direction.corrupt), ("reorder", direction.reorder?.mean ?? .zero),
        ]
        for (key, share) in shares where share > .zero {
            rule[key] = .text("\(share.percentage.shortText)%")
        }
        return .table(rule.isEmpty ? [:] : ["protocol=ip": .table(rule)])
    }

    private static func time(_ duration: Duration) -> ForeignValue {
        .text("\(duration.milliseconds.shortText)ms")
    }
}

extension ThrottleJSON {
    /// The file for `throttle --config`, which takes only whole numbers.
    static func value(of profile: Profile) -> ForeignValue {
        let conditions = profile.conditions.withExplicitLoss
        var table: [String: ForeignValue] = [
            "rtt": .number(conditions.roundTripTime.milliseconds.rounded())
        ]
        if let down = conditions.down.bandwidth { table["down"] = .number(down.wholeKilobits) }
        if let up = conditions.up.bandwidth { table["up"] = .number(up.wholeKilobits) }
        let loss = max(conditions.down.loss.mean, conditions.up.loss.mean)
        if loss > .zero { table["packetLoss"] = .number(loss.percentage) }
        return .table(table)
    }
}

extension WebPageTestINI {
    /// One section of the file.
    static func text(of profile: Profile) -> String {
        let conditions = profile.conditions.withExplicitLoss
        let loss = max(conditions.down.loss.mean, conditions.up.loss.mean)
        let name = profile.name.filter { !"[]=;#\"".contains($0) }
        let label = (profile.summary.isEmpty ? profile.name : profile.summary)
            .replacing("\"", with: "'")
        return """
            [\(name.isEmpty ? "Profile" : name)]
            label="\(label)"
            bwIn=\(conditions.down.bandwidth?.bitsPerSecond ?? 0)
            bwOut=\(conditions.up.bandwidth?.bitsPerSecond ?? 0)
            latency=\(conditions.roundTripTime.milliseconds.rounded().shortText)
            plr=\(loss.percentage.shortText)

            """
    }
}

extension ATCJSON {
    /// A stored profile; ATC takes whole kbit/s and whole milliseconds.
    static func value(of profile: Profile) -> ForeignValue {
        let conditions = profile.conditions.withExplicitLoss
        return .table([
            "name": .text(profile.name),
            "content": .table(["down": shaping(conditions.down), "up": shaping(conditions.up)]),
        ])
    }

    private static func shaping(_ direction: DirectionConditions) -> ForeignValue {
        let jitter = direction.jitter?.amount ?? .zero
        return .table([
            "rate": .number(direction.bandwidth?.wholeKilobits ?? 0),
            "delay": .table([
                "delay": .number(direction.delay.milliseconds.rounded()),
                "jitter": .number(jitter.milliseconds.rounded()), "correlation": .number(0),
            ]),
            "loss": share(direction.loss.mean), "corruption": share(direction.corrupt),
            "reorder": .table([
                "percentage": .number(direction.reorder?.mean.percentage ?? 0),
                "gap": .number(Double(direction.reorder?.gap ?? 0)), "correlation": .number(0),
            ]),
            "iptables_options": .list([]),
        ])
    }

    private static func share(_ ratio: Ratio) -> ForeignValue {
        .table(["percentage": .number(ratio.percentage), "correlation": .number(0)])
    }
}

extension Bandwidth {
    /// The nearest whole number of kbit/s, at least 1, since 0 would mean no limit.
    fileprivate var wholeKilobits: Double { max(1, (Double(bitsPerSecond) / 1000).rounded()) }
}

extension Ratio {
    fileprivate var percentage: Double { Double(partsPerBillion) / 10_000_000 }
}
