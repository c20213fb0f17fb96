import LinkModel
import LinkTesting
import LinkUnits
import ProfileFormat
import Testing

@Suite("Writing and reading profiles", .tags(.unit))
struct RoundTripTests {
    @Test("Every built-in profile is read back from what is written")
    func builtIns() throws {
        let files = try BuiltInFiles.all()
        #expect(files.count >= 80)
        for (path, text) in files {
            let profile = try ProfileReader.profile(from: text, file: path)
            #expect(profile.conditions.problem == nil, "\(path)")
            let yaml = ProfileWriter.yaml(profile)
            #expect(try ProfileReader.profile(from: yaml, file: "written") == profile, "\(yaml)")
        }
    }

    @Test("Every random profile is read back from what is written", arguments: 0..<8)
    func random(seed: UInt64) throws {
        var profiles = RandomProfile(seed: seed)
        for _ in 0..<100 {
            let profile = profiles.next()
            #expect(profile.conditions.problem == nil)
            let yaml = ProfileWriter.yaml(profile)
            #expect(try ProfileReader.profile(from: yaml, file: "written") == profile, "\(yaml)")
        }
    }

    @Test("Settings say the same as the fields that are written")
    func settings() throws {
        var profiles = RandomProfile(seed: 100)
        for _ in 0..<50 {
            let expected = profiles.next().conditions.down
            var conditions = LinkConditions()
            for (key, value) in ProfileWriter.fields(of: expected) where key != "trace" {
                try ProfileReader.apply(setting: "down.\(key)=\(value)", to: &conditions)
            }
            conditions.down.trace = expected.trace
            #expect(conditions.down == expected)
        }
    }

    @Test("A profile is written in the order of the fields, without what is not there")
    func text() {
        let profile = Profile(
            name: "3G: slow", family: "user", summary: "One \"quoted\" line", interface: .cellular,
            conditions: LinkConditions(
                down: .init(
                    bandwidth: .kilobitsPerSecond(780), delay: .milliseconds(100),
                    jitter: Jitter(amount: .milliseconds(5), distribution: .uniform),
                    loss: .bursts(mean: .percent(2), burst: 8), queue: .time(.milliseconds(200)),
                    aqm: .codel)), isExpensive: true)
        #expect(
            ProfileWriter.yaml(profile) == """
                name: "3G: slow"
                family: user
                summary: "One \\"quoted\\" line"
                interface: cellular
                down: { bandwidth: 780 kbit/s, delay: 100 ms, jitter: 5 ms, distribution: uniform, \
                loss: { mean: 2%, burst: 8 }, queue: 200 ms, aqm: codel }
                expensive: true

                """)
    }

    @Test("What a terminal would obey is written as an escape")
    func escapes() {
        let profile = Profile(name: "a\u{1b}\u{9b}\u{7f}\u{2028}\u{feff}\n\t", family: "user")
        let yaml = ProfileWriter.yaml(profile)
        #expect(
            yaml.hasPrefix(
                #"name: "a\U0000001b\U0000009b\U0000007f\U00002028\U0000feff\U0000000a\U00000009""#
            ), "\(yaml)")
    }
}
