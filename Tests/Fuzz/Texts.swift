import FoundationEssentials
import JSONReading
import LinkModel
import LinkUnits
import PacketEngine
import ProfileFormat
import ProfileImport
import Recording
import Scenarios

/// Readers of texts: profiles, scenarios, other tools' files, traces.
enum Texts {
    static func profile(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        do {
            let profile = try ProfileReader.profile(from: text, file: "fuzz.yaml")
            let again = try ProfileReader.profile(from: ProfileWriter.yaml(profile), file: "again")
            precondition(again == profile, "a profile is read back as it was written")
            for format in ProfileExport.Format.allCases {
                _ = try? ProfileExport.text(of: profile, as: format, interface: "eth0")
            }
        } catch {
            expectLine("\(error)", of: "fuzz.yaml")
        }
        var conditions = LinkConditions()
        try? ProfileReader.apply(setting: text, to: &conditions)
    }

    static func quantity(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        if let rate = try? Bandwidth(parsing: text) {
            precondition((try? Bandwidth(parsing: rate.description)) == rate)
            _ = rate.serializationDelay(of: ByteCount(bytes: .max))
        }
        if let size = try? ByteCount(parsing: text) {
            precondition((try? ByteCount(parsing: size.description)) == size)
        }
        if let ratio = try? Ratio(parsing: text) {
            precondition((try? Ratio(parsing: ratio.description)) == ratio)
        }
        if let duration = try? Duration(parsing: text) {
            precondition((try? Duration(parsing: duration.unitText)) == duration)
            _ = Bandwidth.bitsPerSecond(.max).byteCount(in: duration)
        }
    }

    private static let link = Profile(
        name: "LTE", family: "apple",
        conditions: LinkConditions(
            down: .init(bandwidth: .megabitsPerSecond(50), delay: .milliseconds(50)),
            up: .init(bandwidth: .megabitsPerSecond(10), delay: .milliseconds(65))))

    static func scenario(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        do {
            let scenario = try ScenarioReader.scenario(from: text, file: "fuzz.yaml") { _ in link }
            _ = scenario.length
            _ = scenario.expectationLines(after: .zero)
            var time = Duration.zero
            for event in Timeline(scenario, seed: UInt64(bytes.count)).prefix(50) {
                precondition(event.time >= time, "events come in order")
                time = event.time
                precondition("\(event.action)" == "\(event.action)".printable)
            }
        } catch {
            expectLine("\(error)", of: "fuzz.yaml")
        }
    }

    /// The first byte says which format is named, if one is.
    static func foreign(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let formats = ForeignFormat.allCases
        let format = first < formats.count ? formats[Int(first)] : nil
        let file = ForeignFile(
            name: "fuzz", path: "/fuzz", bytes: format == nil ? bytes : Array(bytes.dropFirst()))
        do {
            let profiles = try ProfileImport.profiles(in: file, format: format)
            precondition(!profiles.isEmpty, "there is a profile, or an error")
            for imported in profiles.prefix(3) {
                let again = try ProfileReader.profile(from: imported.yaml, file: "again")
                precondition(again == imported.profile, "a profile is read back as it was written")
            }
        } catch {
            expectLine("\(error)", of: "fuzz")
        }
    }

    static func trace(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let trace = try? DeliveryTrace(parsing: text) else { return }
        precondition((try? DeliveryTrace(parsing: trace.text)) == trace)
        _ = trace.meanBandwidth
        // The windows of a long trace take their time, and are the same.
        guard trace.period < .seconds(3600) else { return }
        let statistics = TraceStatistics(trace)
        precondition(statistics.rate(percentile: 0) <= statistics.rate(percentile: 100))
    }

    /// JSON as requests to the API have it.
    static func json(_ bytes: [UInt8]) {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes)
        } catch {
            precondition((1...bytes.count + 1).contains(error.line), "\(error)")
            precondition((1...bytes.count + 1).contains(error.column), "\(error)")
            return
        }
        let text = Array(value.description.utf8)
        precondition((try? JSONValue(parsing: text)) == value, "it is read back as it was written")
        // A reader that is not ours takes what was written.
        let decoder = JSONDecoder()
        precondition((try? decoder.decode(Anything.self, from: Data(text))) != nil, "\(value)")
    }

    /// Any JSON at all.
    private struct Anything: Decodable {
        init(from decoder: any Decoder) throws {
            if var list = try? decoder.unkeyedContainer() {
                while !list.isAtEnd { _ = try list.decode(Anything.self) }
            }
        }
    }
}
