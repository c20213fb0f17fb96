import LinkUnits

/// Traffic and delay of one interface over time, with the conditions of its link.
struct InterfaceLanes {
    let interface: InterfaceRecord
    let scale: TimeScale
    /// Whether to show the interface's name.
    let isOneOfSeveral: Bool

    /// The lanes that have data.
    var lanes: [Lane] { [throughput, delay].compactMap(\.self) }

    /// The legend of the lines.
    static let legend: [(sign: Markup, text: String)] = [
        ("<path class=\"t-down\" d=\"M0 7H18\"/>", "down, toward the app"),
        ("<path class=\"t-up\" d=\"M0 7H18\"/>", "up, from the app"),
        (
            "<path class=\"t-down t-limit\" d=\"M0 5H18\"/><path class=\"t-up t-limit\" d=\"M0 10H18\"/>",
            "what the link is to do"
        ),
    ]

    /// The data of one direction and its style.
    private struct Curve {
        var style: Markup
        var sign: String
        var sample: KeyPath<LinkSample, DirectionSample>
        var conditions: KeyPath<ConditionStep, PlottedConditions>
    }

    private static var directions: [Curve] {
        [
            Curve(style: "t-down", sign: "↓", sample: \.down, conditions: \.down),
            Curve(style: "t-up", sign: "↑", sample: \.up, conditions: \.up),
        ]
    }

    private var samples: [LinkSample] { interface.samples }

    private func shape(top: Double) -> PlotShape {
        PlotShape(samples: samples, end: scale.end, top: top)
    }

    private func name(_ word: String) -> String {
        isOneOfSeveral
            ? "\(interface.name): \(word)" : word.prefix(1).uppercased() + word.dropFirst()
    }

    // MARK: Throughput

    private var throughput: Lane? {
        let peaks = Self.directions.map { direction in
            samples.map { Double($0[keyPath: direction.sample].bitsPerSecond) }.max() ?? 0
        }
        let limits = Self.directions.flatMap { limit($0).compactMap(\.value) }
        guard !samples.isEmpty || !limits.isEmpty else { return nil }
        let peak = peaks.max() ?? 0
        // A limit far above the traffic would flatten the curve of the traffic.
        let highest = max(peak, limits.filter { $0 <= peak * 10 }.max() ?? 0)
        guard highest > 0 else {
            return CurveLane.empty(name: name("throughput"), remark: "nothing passed")
        }
        let top = PlotShape.niceTop(for: highest)
        let held = HeldValues(scale: scale, top: top)
        let curves = Self.directions.map { direction -> Markup in
            """
            <path class="\(direction.style) t-filled" d="\(traffic(direction, top: top))"/>\
            <path class="\(direction.style) t-limit" d="\(held.line(limit(direction)))"/>
            """
        }
        let told = zip(Self.directions, peaks).map {
            "\($0.sign) \(UInt64(saturating: $1).rateText)"
        }
        return CurveLane(
            name: name("throughput"), remark: "at most \(told.joined(separator: " "))",
            top: UInt64(saturating: top).rateText, height: 78, scale: scale, curves: curves
        ).lane
    }

    private func traffic(_ direction: Curve, top: Double) -> Markup {
        guard !samples.isEmpty else { return "" }
        return shape(top: top).steps { Double($0[keyPath: direction.sample].bitsPerSecond) }
    }

    private func limit(_ direction: Curve) -> [(seconds: Double, value: Double?)] {
        interface.conditions.map { step in
            (step.seconds, step[keyPath: direction.conditions].bitsPerSecond.map { Double($0) })
        }
    }

    // MARK: Delay

    private var delay: Lane? {
        let measured = Self.directions.map { direction in
            samples.compactMap { $0[keyPath: direction.sample].delayMilliseconds }.max()
        }
        let planned = Self.directions.map { direction in
            interface.conditions.map { $0[keyPath: direction.conditions].delayMilliseconds }.max()
        }
        let all = (measured + planned).compactMap(\.self)
        guard let peak = all.max(), peak > 0 else { return nil }
        let top = PlotShape.niceTop(for: peak)
        let held = HeldValues(scale: scale, top: top)
        let curves = Self.directions.map { direction -> Markup in
            let steps = interface.conditions.map { step in
                (
                    seconds: step.seconds,
                    value: Double?(step[keyPath: direction.conditions].delayMilliseconds)
                )
            }
            let points = shape(top: top).lines { $0[keyPath: direction.sample].delayMilliseconds }
            return """
                <path class="\(direction.style)" d="\(points)"/>\
                <path class="\(direction.style) t-limit" d="\(held.line(steps))"/>
                """
        }
        let told = zip(Self.directions, measured).compactMap { direction, value in
            value.map { "\(direction.sign) \($0.roundedText) ms" }
        }
        return CurveLane(
            name: name("delay on the link"),
            remark: told.isEmpty ? "" : "at most \(told.joined(separator: " "))",
            top: "\(top.shortText) ms", height: 52, scale: scale, curves: curves
        ).lane
    }
}
