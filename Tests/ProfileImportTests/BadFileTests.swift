import LinkTesting
import ProfileFormat
import ProfileImport
import Testing

@Suite("Bad files of other tools", .tags(.unit))
struct BadFileTests {
    private static let plist = "<?xml version=\"1.0\"?>\n<plist version=\"1.0\">\n"

    private static let files: [(text: String, message: String)] = [
        ("", "file: is empty"),
        (" \n\n", "file: is empty"),
        ("{\"up\": 1,\n\"down\": }", "file:2: not valid as JSON"),
        ("{\"up\": 330, \"down\": 78", "file:1: not valid as JSON: Unexpected end"),
        ("{\"up\": -1}", "file: up: -1 is negative"),
        (
            "{\"up\": 330,\n\"up\": 78}",
            "file:2: not valid as JSON: The key \"up\" is here a second time"
        ),
        ("{\"up\": 1e400, \"down\": 780}", "file: up: is no finite number"),
        ("{\"up\": true}", "file: up: is true or false and has to be a number"),
        ("{\"up\": [1]}", "file: up: is a list and has to be a number"),
        ("{\"up\": \"fast\"}", "file: up: \"fast\" is not a number"),
        ("{\"up\": 1e300}", "file: up: 1e+300 is too large or too small for a bandwidth"),
        ("{\"rtt\": 1e12}", "file: rtt: 1000000000000 ms is longer than any delay"),
        ("{\"up\": 1, \"rtt\": 9999999}", "file: down.delay: 4999.9995 s is too long"),
        ("{\"up\": 1, \"packetLoss\": 101}", "file: packetLoss: 101 is more than 100 %"),
        ("{\"a\": 1}", "file: is in no format that linkcond knows"),
        ("[]", "file: is in no format that linkcond knows"),
        ("hello", "file: is in no format that linkcond knows"),
        ("\u{1b}[31m", "file: is in no format that linkcond knows"),
        (
            plist + "<dict><key>DownlinkDelay</key>\n<integer>5",
            "file: not valid as a property list: Encountered unexpected EOF"
        ),
        (
            plist + "\n<dictionary></dictionary></plist>",
            "file: not valid as a property list: Encountered unknown tag dictionary"
        ),
        (plist + "<dict></dict></plist>", "file: has no profile in it"),
        (plist + "<string>x</string></plist>", "file: is a text and has to be a table"),
        (
            plist + "<dict><key>Profiles</key><dict><key>A</key><dict><key>DownlinkDelay</key>"
                + "<integer>-5</integer></dict></dict></dict></plist>",
            "file: Profiles.A.DownlinkDelay: -5 is negative"
        ),
        (
            plist
                + "<dict><key>DownlinkDelay</key><date>2020-01-01T00:00:00Z</date></dict></plist>",
            "file: DownlinkDelay: is a date or data and has to be a number"
        ),
        ("bplist00\u{1}\u{2}", "not valid as a property list: damaged or cut short"),
        ("[Cable]\nbwIn=5\nbwIn=6", "file:3: bwIn is given twice"),
        ("[Cable]\nbwIn=fast", "file:2: Cable.bwIn: \"fast\" is not a number"),
        ("[Cable]\nbwIn=9\nlatency", "file:3: \"latency\" is not of the form key=value"),
        ("[Cable\nbwIn=1", "file:1: \"[Cable\" is no section"),
        ("bwIn=1\n", "file:1: stands before the first section"),
        ("[A]\nbwIn=1\n[A]\n", "file:3: [A] is there twice"),
        ("[A]\nbwIn=9\nlatency=2000000", "file: A (down.delay): 1000 s is too long"),
        ("{\"eth0\": {\"outgoing\": {}}}", "file: has no rule in it"),
        (
            "{\"eth0\": {\"outgoing\": {\"protocol=ip\": {\"delay\": \"10 lightyears\"}}}}",
            "file: eth0.outgoing.protocol=ip.delay: \"10 lightyears\" is not a delay"
        ),
        (
            "{\"eth0\": {\"outgoing\": {\"protocol=ip\": {\"rate\": \"10 apples\"}}}}",
            "\"10 apples\" is not a rate"
        ),
        (
            "{\"eth0\": {\"outgoing\": {\"protocol=ip\": {\"loss\": \"101%\"}}}}",
            "\"101%\" is not a percentage"
        ),
        (
            "{\"eth0\": {\"outgoing\": {\"protocol=ip\": {\"reorder\": \"2%\"}}}}",
            "eth0 (up.reorder): a packet overtakes on the delay line"
        ),
        (
            "{\"eth0\": {\"outgoing\": {}, \"upward\": {}}}",
            "file: eth0.upward: is neither incoming nor outgoing"
        ),
        ("{\"content\": {\"down\": {\"rate\": 1}}}", "file: content.up: is missing"),
        ("{\"download\": -5, \"latency\": 1}", "file: download: -5 is negative"),
        ("1\n2\nthree\n", "file: line 3: \"three\" is not a moment"),
        ("5\n4\n", "file: line 2: 4 ms comes after 5 ms"),
        ("0\n", "file: line 1: the trace ends at 0 ms"),
        (
            "{\"down\": {\"speed\": 1}, \"up\": {\"speed\": 2}}",
            "file: has nothing in it that linkcond knows of a link. Left out: down.speed"
        ),
        (
            "{\"name\": \"LTE\", \"down\": {\"bandwidthBitsPerSecond\": 1}, \"up\": {}}",
            "file: is linkcond's own JSON"
        ),
        ("[{\"down\": {\"delayMilliseconds\": 1}, \"up\": {}}]", "is linkcond's own JSON"),
        (
            "name: LTE\ndown: { bandwidth: 50 Mbit/s }\n",
            "file: is linkcond's own YAML and need not be imported"
        ),
        (
            "{\"connectivity\": {\"profile\": \"native\"}}",
            "file: connectivity.profile: is native, a link without conditions"
        ),
        (
            "{\"browsertime\": {\"connectivity\": {\"profile\": \"5g\"}}}",
            "file: browsertime.connectivity.profile: \"5g\" is not one of custom, 2g, 3g"
        ),
        (
            "{\"connectivity\": {\"engine\": \"throttle\"}}",
            "file: connectivity: has nothing in it that linkcond knows of a link"
        ),
        (
            "["
                + Array(repeating: "{\"latency\": 1, \"download\": 2}", count: 1001)
                .joined(separator: ",") + "]",
            "file: has 1001 profiles; no such file has more than 1000"
        ),
    ]

    @Test("The error says what is wrong and where", arguments: files.indices)
    func message(index: Int) {
        let (text, message) = Self.files[index]
        let error = #expect(throws: ProfileError.self) {
            try ProfileImport.profiles(in: Fixture.text(text))
        }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test("A format that is named is not guessed")
    func named() {
        let error = #expect(throws: ProfileError.self) {
            try ProfileImport.profiles(in: Fixture.text("[A]\nbwIn=1"), format: .mahimahi)
        }
        #expect(error?.description.hasPrefix("file: line 1: ") == true)
    }

    private static let nestings = [
        plist + String(repeating: "<array>", count: 50_000),
        plist + String(repeating: "<dict><key>a</key>", count: 50_000),
        plist + String(repeating: "<array><!--</array>-->", count: 40_000),
        "{ DownlinkBandwidth = " + String(repeating: "(", count: 50_000),
        String(repeating: "[", count: 50_000), String(repeating: "{\"a\":", count: 50_000),
        String(repeating: "[", count: 400) + String(repeating: "]", count: 400),
    ]

    // By their places: arguments are written into each event of a test.
    @Test("Deep and shared nesting ends in an error, not in a crash", arguments: nestings.indices)
    func nesting(index: Int) {
        #expect(throws: ProfileError.self) {
            try ProfileImport.profiles(in: Fixture.text(Self.nestings[index]))
        }
    }

    @Test("A binary property list that contains itself ends in an error")
    func cycle() {
        // An array of one element, which is object 0, the array itself.
        var bytes = Array("bplist00".utf8) + [0xa1, 0x00, 8]
        bytes += [0, 0, 0, 0, 0, 0, 1, 1]
        for number: UInt8 in [1, 0, 10] { bytes += [0, 0, 0, 0, 0, 0, 0, number] }
        let file = ForeignFile(name: "file", path: nil, bytes: bytes)
        #expect(throws: ProfileError.self) { try ProfileImport.profiles(in: file) }
    }

    @Test("A file that is far too large is refused")
    func large() {
        let file = Fixture.text("{\"up\": 1" + String(repeating: " ", count: 1 << 20) + "}")
        let error = #expect(throws: ProfileError.self) { try ProfileImport.profiles(in: file) }
        #expect(error?.description == "file: is larger than 1 MiB, which no such file is")
    }

    @Test("A trace without a path is refused, since a profile could not point at it")
    func traceFromPipe() {
        let file = ForeignFile(name: "standard input", path: nil, bytes: Array("5\n".utf8))
        #expect(throws: ProfileError.self) { try ProfileImport.profiles(in: file) }
    }

    @Test("Whatever is broken, it is read or refused in one line", arguments: 0..<8)
    func mutations(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let samples = try Fixture.all.map { try Fixture.file($0.name).bytes.prefix(3000) }
        for _ in 0..<200 {
            let sample = samples.randomElement(using: &generator) ?? []
            let file = ForeignFile(
                name: "m", path: "/m", bytes: Self.mutated(Array(sample), &generator))
            do {
                for imported in try ProfileImport.profiles(in: file) {
                    let again = try ProfileReader.profile(from: imported.yaml, file: "again")
                    #expect(again == imported.profile, "\(imported.yaml)")
                }
            } catch {
                let line = "\(error)"
                #expect(line.hasPrefix("m:"), "\(line)")
                #expect(!line.contains("\n"))
            }
        }
    }

    private static func mutated(
        _ bytes: [UInt8], _ generator: inout SeededGenerator
    ) -> [UInt8] {
        var bytes = bytes
        let pieces = ["-", "1e999", "null", "\"", "{", "}", "[", "<dict>", "\u{feff}", "=", "0"]
        for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
            let start = Int.random(in: bytes.indices, using: &generator)
            let end = min(bytes.count, start + Int.random(in: 0...12, using: &generator))
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes.removeSubrange(start..<end)
            case 1: bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 2: bytes.removeSubrange(end...)
            default:
                bytes.insert(
                    contentsOf: (pieces.randomElement(using: &generator) ?? "").utf8, at: start)
            }
        }
        return bytes
    }
}
