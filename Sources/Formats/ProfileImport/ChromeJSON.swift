import LinkModel
import LinkUnits
import ProfileFormat

/// Chrome's throttling: Lighthouse's (`rttMs`, `throughputKbps`, alone or inside a configuration or
/// report), and that of DevTools, Puppeteer and the DevTools protocol (`latency` in milliseconds,
/// `download` and `upload` in bytes per second); a single one, a list, or a table by name.
///
/// Chrome delays whole requests, not packets. To make a page as slow as on the intended link, its
/// presets multiply the link's RTT by up to 5 and its rates by as little as 0.8. A link with these
/// numbers would be far worse than the intended one.
enum ChromeJSON {
    static func drafts(_ value: ForeignValue, file: ForeignFile) throws(ProfileError) -> [Entry] {
        var entries: [Entry] = []
        for table in try tables(value, file: file, path: "") {
            let isLighthouse = isLighthouse(table.keys)
            let draft =
                try isLighthouse
                ? LighthouseThrottling.draft(table, file) : DevToolsThrottling.draft(table, file)
            entries.append(Entry(draft, path: table.path))
        }
        return entries
    }

    static func isLighthouse(_ keys: [String]) -> Bool {
        keys.contains { ["rttMs", "throughputKbps", "requestLatencyMs"].contains($0) }
    }

    static func isDevTools(_ keys: [String]) -> Bool {
        let rates = ["download", "upload", "downloadThroughput", "uploadThroughput", "offline"]
        return keys.contains(where: rates.contains)
    }

    /// Where Lighthouse's configurations and reports keep their throttling.
    static let wrappers = ["settings", "configSettings", "throttling"]

    private static func tables(
        _ value: ForeignValue, file: ForeignFile, path: String
    ) throws(ProfileError) -> [ForeignTable] {
        var tables: [ForeignTable] = []
        if case .list(let list) = value {
            for (index, element) in list.enumerated() {
                tables.append(
                    try ForeignTable(element, file: file.name, path: "\(path)[\(index)]"))
            }
            return tables
        }
        var table = try ForeignTable(value, file: file.name, path: path)
        if isLighthouse(table.keys) || isDevTools(table.keys) { return [table] }
        if let wrapper = wrappers.first(where: table.has), let inner = table.take(wrapper) {
            return try self.tables(inner, file: file, path: table.fieldPath(wrapper))
        }
        for key in table.keys {
            if let inner = try table.table(key) { tables.append(inner) }
        }
        return tables
    }
}

/// The factors by which Chrome's presets change a link's numbers.
struct RequestLevelFactors {
    let roundTrip: Double
    let rate: Double

    /// Those of Lighthouse and of DevTools' Slow 4G.
    static let lighthouse = RequestLevelFactors(roundTrip: 3.75, rate: 0.9)
}

/// Lighthouse: the intended link's numbers are next to those for requests.
enum LighthouseThrottling {
    static func draft(_ table: ForeignTable, _ file: ForeignFile) throws(ProfileError) -> Draft {
        var table = table
        var draft = Draft(name: file.stem)
        let factors = RequestLevelFactors.lighthouse
        let kilobit = Bandwidth.kilobitsPerSecond(1)
        let roundTrip = try table.milliseconds("rttMs")
        let throughput = try table.bandwidth("throughputKbps", in: kilobit)
        let latency = try table.milliseconds("requestLatencyMs") ?? .zero
        let download = try table.bandwidth("downloadThroughputKbps", in: kilobit)
        let upload = try table.bandwidth("uploadThroughputKbps", in: kilobit)
        let half = (roundTrip ?? latency / factors.roundTrip) / 2
        draft.conditions.down = .init(
            bandwidth: throughput ?? download?.divided(by: factors.rate), delay: half)
        draft.conditions.up = .init(
            bandwidth: upload?.divided(by: factors.rate) ?? throughput, delay: half)
        if latency > .zero || download != nil || upload != nil {
            draft.explain(
                "requestLatencyMs, downloadThroughputKbps and uploadThroughputKbps hold back whole "
                    + "requests: 3.75 times the round trip and 0.9 of the rates of the link that "
                    + "is meant. Here is that link.")
        }
        draft.explain(
            "The round trip is \((half * 2).unitText): half of it in each direction.")
        let slowdown = try table.amount("cpuSlowdownMultiplier") ?? 1
        if slowdown != 1 {
            draft.leaveOut(
                "cpuSlowdownMultiplier \(slowdown.shortText), which is about the processor.")
        }
        draft.leaveOut(restOf: table)
        return draft
    }
}

/// DevTools, Puppeteer and the DevTools protocol: request-level numbers only, with known presets.
enum DevToolsThrottling {
    private struct Preset {
        let name: String
        let latency: Double
        /// Bytes per second.
        let download: Double
        let upload: Double
        let factors: RequestLevelFactors
    }

    private static let presets = [
        Preset(
            name: "Slow 3G, now 3G", latency: 2000, download: 50_000, upload: 50_000,
            factors: RequestLevelFactors(roundTrip: 5, rate: 0.8)),
        Preset(
            name: "Fast 3G, now Slow 4G", latency: 562.5, download: 180_000, upload: 84_375,
            factors: .lighthouse),
        Preset(
            name: "Fast 4G", latency: 165, download: 1_012_500, upload: 168_750,
            factors: RequestLevelFactors(roundTrip: 2.75, rate: 0.9)),
    ]

    static func draft(_ table: ForeignTable, _ file: ForeignFile) throws(ProfileError) -> Draft {
        var table = table
        let key = table.path.split(separator: ".").last.map(String.init) ?? ""
        let isNamed = !key.isEmpty && !key.hasPrefix("[") && !ChromeJSON.wrappers.contains(key)
        let title = try table.text("title") ?? (isNamed ? key : file.stem)
        var draft = Draft(name: title)
        let latency = try number("latency", &table) ?? 0
        let download = try rate(["download", "downloadThroughput"], &table)
        let upload = try rate(["upload", "uploadThroughput"], &table)
        let preset = presets.first {
            $0.latency == latency && isNear($0.download, download) && isNear($0.upload, upload)
        }
        let factors = preset?.factors ?? RequestLevelFactors(roundTrip: 1, rate: 1)
        guard let roundTrip = Duration(milliseconds: latency / factors.roundTrip) else {
            throw table.error("latency", "\(latency.shortText) ms is longer than any delay")
        }
        let byte = Bandwidth.bitsPerSecond(8)
        draft.conditions = LinkConditions(
            down: .init(
                bandwidth: download.flatMap { Bandwidth($0 / factors.rate, times: byte) },
                delay: roundTrip / 2),
            up: .init(
                bandwidth: upload.flatMap { Bandwidth($0 / factors.rate, times: byte) },
                delay: roundTrip / 2),
            isBlackhole: try table.flag("offline") ?? false)
        explain(preset, latency: latency, roundTrip: roundTrip, &draft)
        try readPackets(&table, &draft)
        draft.leaveOut(restOf: table)
        return draft
    }

    private static func explain(
        _ preset: Preset?, latency: Double, roundTrip: Duration, _ draft: inout Draft
    ) {
        if let preset {
            draft.explain(
                "These are the numbers of DevTools' \(preset.name): \(preset.factors.roundTrip.shortText) "
                    + "times the round trip and \(preset.factors.rate.shortText) of the rates of "
                    + "the link that is meant, since Chrome holds back whole requests. Here is "
                    + "that link, with a round trip of \(roundTrip.unitText).")
        } else if latency > 0 {
            draft.explain(
                "Chrome holds back whole requests; its latency of \(latency.shortText) ms is the "
                    + "least from a request to its answer, and so a round trip: half of it in each "
                    + "direction. A page may load at another speed than in Chrome, whose rates "
                    + "are for all connections together and whose connects wait for nothing.")
        }
    }

    /// The protocol's fields for WebRTC.
    private static func readPackets(
        _ table: inout ForeignTable, _ draft: inout Draft
    ) throws(ProfileError) {
        let loss = LossModel.random(try table.percentage("packetLoss") ?? .zero)
        draft.conditions.down.loss = loss
        draft.conditions.up.loss = loss
        let queue = try table.amount("packetQueueLength") ?? 0
        guard queue <= Double(DirectionConditions.longestQueue) else {
            throw table.error("packetQueueLength", "\(queue.shortText) packets is too long")
        }
        if queue >= 1 {
            for direction in [\LinkConditions.down, \LinkConditions.up]
            where draft.conditions[keyPath: direction].bandwidth != nil {
                draft.conditions[keyPath: direction].queue = .packets(Int(queue))
            }
        }
        if try table.flag("packetReordering") == true {
            draft.leaveOut("packetReordering, which does not say how much.")
        }
    }

    /// Older presets use units of 1024.
    private static func isNear(_ expected: Double, _ rate: Double?) -> Bool {
        guard let rate else { return false }
        return abs(rate - expected) <= expected * 0.03
    }

    /// The number under the first of `keys` that is present; -1 and 0 mean no limit.
    private static func rate(
        _ keys: [String], _ table: inout ForeignTable
    ) throws(ProfileError) -> Double? {
        guard let key = keys.first(where: table.has) else { return nil }
        guard let rate = try number(key, &table), rate > 0 else { return nil }
        guard rate < 1e15 else { throw table.error(key, "\(rate.shortText) is no rate") }
        return rate
    }

    private static func number(
        _ key: String, _ table: inout ForeignTable
    ) throws(ProfileError) -> Double? {
        guard let number = try table.number(key) else { return nil }
        guard number >= 0 || number == -1 else {
            throw table.error(key, "\(number.shortText) is negative; no link has that")
        }
        return max(0, number)
    }
}

extension Bandwidth {
    fileprivate func divided(by factor: Double) -> Bandwidth? {
        Bandwidth(1 / factor, times: self)
    }
}
