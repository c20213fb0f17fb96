import LinkModel
import LinkTesting
import LinkUnits
import ProfileFormat
import ProfileImport
import Testing

@Suite("Profiles in the formats of other tools", .tags(.unit))
struct ExportTests {
    @Test(
        "A sample that was imported is exported with the same numbers",
        arguments: [
            ("presets.plist", ProfileExport.Format.nlc), ("settings.binary.plist", .nlc),
            ("defaults-read.txt", .nlc), ("tcshow.json", .tcconfig), ("throttle.json", .throttle),
            ("throttle-lte.json", .throttle), ("connectivity.ini", .webpagetest),
            ("Edge-Lossy.json", .atc), ("atc-profiles.json", .atc),
        ])
    func roundTrip(name: String, format: ProfileExport.Format) throws {
        for imported in try ProfileImport.profiles(in: Fixture.file(name)) {
            let export = try ProfileExport.text(
                of: imported.profile, as: format, interface: "eth0")
            #expect(export.differences == [])
            let isPerfect = imported.profile.conditions == LinkConditions()
            guard !(isPerfect && format == .tcconfig) else { continue }
            let again = try ProfileImport.profiles(in: Fixture.text(export.text))
            #expect(again.map(\.profile.conditions) == [imported.profile.conditions])
        }
    }

    @Test func `no other tool knows what stands in the middle, which is reported`() throws {
        let profile = Profile(
            name: "A", family: "user",
            conditions: LinkConditions(
                up: .init(bandwidth: .bitsPerSecond(1_000_000)), middle: Middlebox(dns: .down)))
        for format in [ProfileExport.Format.nlc, .tcconfig, .throttle, .webpagetest, .atc] {
            let export = try ProfileExport.text(of: profile, as: format, interface: "eth0")
            #expect(
                export.differences.contains { $0.hasPrefix("middle { dns: down } is left out; ") },
                "\(format): \(export.differences)")
        }
    }

    @Test("What a format cannot say, and what it rounds, is reported")
    func differences() throws {
        let profile = Profile(
            name: "A", family: "user",
            conditions: LinkConditions(
                down: .init(
                    bandwidth: .bitsPerSecond(1_234_567), delay: .microseconds(10_500),
                    loss: .bursts(mean: .percent(2), burst: 8), queue: .packets(10)),
                up: .init(delay: .milliseconds(20)), dnsDelay: .seconds(3)),
            isExpensive: true)
        let expected: [(ProfileExport.Format, [String])] = [
            (
                .nlc,
                [
                    "down.bandwidth 1.234567 Mbit/s became 1.235 Mbit/s",
                    "down.delay 10.5 ms became 11 ms", "down.loss { mean: 2%, burst: 8 } became 2%",
                    "down.queue 10 packets is left out; Apple Network Link Conditioner has none",
                    "expensive is left out; Apple Network Link Conditioner has none",
                ]
            ),
            (
                .tcconfig,
                [
                    "down.loss { mean: 2%, burst: 8 } became 2%",
                    "down.queue 10 packets is left out; tcconfig has none",
                    "dns.delay 3 s is left out; tcconfig has none",
                    "expensive is left out; tcconfig has none",
                ]
            ),
            (
                .webpagetest,
                [
                    "down.delay 10.5 ms became 15.5 ms",
                    "down.loss { mean: 2%, burst: 8 } became 2%",
                    "down.queue 10 packets is left out; WebPageTest has none",
                    "up.delay 20 ms became 15.5 ms",
                    "dns.delay 3 s is left out; WebPageTest has none",
                    "up.loss none became 2%",
                    "expensive is left out; WebPageTest has none",
                ]
            ),
        ]
        for (format, differences) in expected {
            let export = try ProfileExport.text(of: profile, as: format, interface: "eth0")
            #expect(export.differences == differences)
        }
    }

    @Test("A black hole and a perfect link are written in every format")
    func extremes() throws {
        for format in ProfileExport.Format.allCases {
            for conditions in [LinkConditions(isBlackhole: true), LinkConditions()] {
                let profile = Profile(name: "A", family: "user", conditions: conditions)
                let export = try ProfileExport.text(of: profile, as: format, interface: "eth0")
                #expect(export.differences == [], "\(format): \(export.text)")
            }
        }
    }
}
