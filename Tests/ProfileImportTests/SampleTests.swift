import LinkModel
import LinkTesting
import LinkUnits
import ProfileFormat
import ProfileImport
import Testing

@Suite("Samples of other tools", .tags(.unit))
struct SampleTests {
    @Test("Content tells the format", arguments: Fixture.all.indices)
    func recognition(index: Int) throws {
        let (name, format) = Fixture.all[index]
        #expect(try ProfileImport.format(of: Fixture.file(name)) == format, "\(name)")
    }

    @Test("What is written is the profile that was read", arguments: Fixture.all.indices)
    func yaml(index: Int) throws {
        let (name, format) = Fixture.all[index]
        let file = try Fixture.file(name)
        let profiles = try ProfileImport.profiles(in: file)
        #expect(try ProfileImport.profiles(in: file, format: format) == profiles)
        for imported in profiles {
            let again = try ProfileReader.profile(from: imported.yaml, file: "again")
            #expect(again == imported.profile)
        }
        let texts = profiles.map(\.yaml)
        try Golden("\(name).yaml").expect(texts.joined(separator: "---\n"))
    }

    @Test("A binary property list says the same as XML")
    func binary() throws {
        let xml = try ProfileImport.profiles(
            in: Fixture.file("com.apple.network.prefPaneSimulate.plist"))
        let binary = try ProfileImport.profiles(in: Fixture.file("settings.binary.plist"))
        #expect(xml.map(\.profile.conditions) == binary.map(\.profile.conditions))
        #expect(xml.map(\.profile.name) == ["100% Loss", "Hotel Wi-Fi", "Very Bad Network"])
    }

    @Test(
        "What sitespeed.io and browsertime have of a link is read, wherever it stands",
        arguments: [
            "{\"browsertime\": {\"iterations\": 3, \"connectivity\": CONNECTIVITY}}",
            "{\"url\": \"a\", \"connectivity\": CONNECTIVITY}",
            "[{\"info\": {\"connectivity\": CONNECTIVITY}}]",
        ])
    func sitespeed(frame: String) throws {
        func link(_ connectivity: String) throws -> LinkConditions {
            let file = Fixture.text(frame.replacing("CONNECTIVITY", with: connectivity))
            #expect(try ProfileImport.format(of: file) == .throttle)
            let profiles = try ProfileImport.profiles(in: file)
            #expect(profiles.count == 1)
            return profiles[0].profile.conditions
        }
        let expected = LinkConditions(
            down: .init(bandwidth: .kilobitsPerSecond(1600), delay: .milliseconds(75)),
            up: .init(bandwidth: .kilobitsPerSecond(768), delay: .milliseconds(75)))
        for text in [
            """
            {"profile": "custom", "downstreamKbps": 1600, "upstreamKbps": 768, "latency": 150}
            """,
            // Both spellings, as in what browsertime itself writes.
            """
            {"profile": "custom", "down": 1600, "downstreamKbps": 1600, "up": 768, "rtt": 150,
             "engine": "throttle", "alias": "Mine"}
            """,
            "{\"profile\": \"3g\", \"engine\": \"external\"}", "\"3g\"",
        ] {
            #expect(try link(text) == expected, "\(text)")
        }
    }

    @Test("What is beside the profiles in a file is told, and no profile without conditions")
    func rest() throws {
        let file = Fixture.text("{\"Mine\": {\"up\": 5}, \"other\": {\"a\": 1}}")
        let profiles = try ProfileImport.profiles(in: file)
        #expect(profiles.map(\.profile.name) == ["Mine"])
        #expect(profiles[0].omissions.contains { $0.hasPrefix("other, in which there is nothing") })
    }

    @Test("Nothing gets through where both directions lose everything")
    func blackhole() throws {
        let profiles = try ProfileImport.profiles(
            in: Fixture.file("com.apple.network.prefPaneSimulate.plist"))
        #expect(profiles[0].profile.conditions == LinkConditions(isBlackhole: true))
    }

    @Test("A round trip is halved, odd ones exactly")
    func halves() throws {
        let throttle = try ProfileImport.profiles(in: Fixture.file("throttle.json"))[0].profile
        #expect(throttle.conditions.down.delay == .microseconds(102_500))
        #expect(throttle.conditions.roundTripTime == .milliseconds(205))
        let ini = try ProfileImport.profiles(in: Fixture.file("connectivity.ini"))
        let train = try #require(ini.first { $0.profile.name == "Train" }).profile
        #expect(train.conditions.up.delay == .microseconds(150_500))
        #expect(train.conditions.roundTripTime == .milliseconds(301))
    }

    @Test("Numbers of throttle that are half of WebPageTest's are explained")
    func halvedRoundTrips() throws {
        let lte = try ProfileImport.profiles(in: Fixture.file("throttle-lte.json"))[0]
        #expect(lte.profile.conditions.roundTripTime == .milliseconds(35))
        #expect(lte.yaml.contains("webpagetest/LTE"))
        let other = try ProfileImport.profiles(in: Fixture.file("throttle.json"))[0]
        #expect(!other.yaml.contains("webpagetest/"))
    }

    @Test("Chrome's numbers for requests become those of the link that is meant")
    func requestLevel() throws {
        let named = try ProfileImport.profiles(in: Fixture.file("puppeteer-conditions.json"))
        let links = Dictionary(
            uniqueKeysWithValues: named.map { ($0.profile.name, $0.profile.conditions) })
        let expected: [(String, UInt64, UInt64, Int)] = [
            ("Slow 3G", 500, 500, 400), ("Fast 3G", 1600, 750, 150), ("Slow 4G", 1600, 750, 150),
            ("Fast 4G", 9000, 1500, 60),
        ]
        for (name, down, up, roundTrip) in expected {
            let link = try #require(links[name])
            #expect(link.down.bandwidth == .kilobitsPerSecond(down))
            #expect(link.up.bandwidth == .kilobitsPerSecond(up))
            #expect(link.roundTripTime == .milliseconds(roundTrip))
        }
        let lighthouse = try ProfileImport.profiles(in: Fixture.file("lighthouse-report.json"))[0]
        let link = lighthouse.profile.conditions
        #expect(link.down.bandwidth == .bitsPerSecond(1_638_400))
        #expect(link.up.bandwidth == .kilobitsPerSecond(750))
        #expect(link.roundTripTime == .milliseconds(150))
        #expect(lighthouse.omissions.count == 1)
    }

    @Test("Two traces make one profile that points at them")
    func traces() throws {
        let down = try Fixture.file("Station-LTE.down")
        let up = try Fixture.file("Station-LTE.up")
        let conditions = try ProfileImport.profiles(in: down, upTrace: up)[0].profile.conditions
        #expect(conditions.down.trace == "/samples/Station-LTE.down")
        #expect(conditions.up.trace == "/samples/Station-LTE.up")
        let alone = try ProfileImport.profiles(in: up)[0].profile.conditions
        #expect(alone.down.trace == nil && alone.up.trace == "/samples/Station-LTE.up")
    }

    @Test("What a profile cannot say is reported")
    func omissions() throws {
        let expected = [
            "settings.binary.plist": ["RunOnInterface", "ProtocolFamily", "ExcludeLoopback"],
            "tcshow.json": ["limit 1000", "dst-network=192.168.0.10", "queueing", "dst-port=80"],
            "connectivity.ini": ["timeout 300", "aftCutoff"],
            "atc-profiles.json": ["correlation 25", "correlation 30", "iptables_options"],
            "devtools-custom.json": ["packetReordering"],
        ]
        for (name, words) in expected {
            let omissions = try ProfileImport.profiles(in: Fixture.file(name)).flatMap(\.omissions)
            for word in words {
                #expect(omissions.contains { $0.contains(word) }, "\(name): \(word)")
            }
        }
    }
}

extension ImportedProfile {
    /// What the file says and the profile does not.
    fileprivate var omissions: [String] {
        remarks.compactMap { if case .omission(let text) = $0 { text } else { nil } }
    }
}
