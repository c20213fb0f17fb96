import LinkTesting
import NetworkPath
import Testing

@Suite("The mark of an override", .tags(.unit))
struct NetworkMarkTests {
    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func mark(_ text: String) -> NetworkMark? { NetworkMark(alias: bytes(text)) }

    @Test(
        "Each thing it says is a word",
        arguments: [
            ("[linkcond:1 exp]", NetworkMark(cost: .expensive)),
            ("[linkcond:1 inexp]", NetworkMark(cost: .inexpensive)),
            ("[linkcond:1 con]", NetworkMark(isConstrained: true)),
            ("[linkcond:1 noncon]", NetworkMark(isConstrained: false)),
            ("[linkcond:1 wifi]", NetworkMark(kind: .wifi)),
            ("[linkcond:1 cell]", NetworkMark(kind: .cellular)),
            ("[linkcond:1 wired]", NetworkMark(kind: .wired)),
            ("[linkcond:1 loop]", NetworkMark(kind: .loopback)),
            ("[linkcond:1 other]", NetworkMark(kind: .other)),
            ("[linkcond:1 hot]", NetworkMark(isHotspot: true)),
            ("[linkcond:1 pref]", NetworkMark(isPreferred: true)),
            (
                "[linkcond:1 ends=1795292831 watch=m5ls]",
                NetworkMark(ends: 1_795_292_831, watcher: "m5ls")
            ),
            (
                "[linkcond:1 exp con cell pref]",
                NetworkMark(
                    cost: .expensive, isConstrained: true, kind: .cellular, isPreferred: true)
            ),
        ])
    func words(text: String, mark: NetworkMark) {
        #expect(Self.mark(text) == mark)
        #expect(mark.written(into: []) == Self.bytes(text))
    }

    @Test(
        "Text of others is no mark",
        arguments: [
            "", "rack 7", "[linkcond:1 exp] of rack 7", "x[linkcond:1 exp]", "[linkcond:2 exp]",
            "[linkcond:10 exp]", "[linkcond:1 exp", "[linkcond:1  exp]", "[linkcond:1 exp ]",
            "[linkcond:1exp]", "[linkcond:1 Exp]", "[linkcond:1 a=b=c]", "[linkcond:1 =]",
            "[linkcond:1\texp]", "]", "[linkcond:1 ex\u{e9}]", "linkcond/1 up of=3",
        ])
    func foreign(text: String) {
        #expect(Self.mark(text) == nil)
        #expect(NetworkMark.foreignText(of: Self.bytes(text)) == Self.bytes(text))
        let written = NetworkMark(cost: .expensive).written(into: Self.bytes(text))
        let expected = text.isEmpty ? "[linkcond:1 exp]" : "\(text) [linkcond:1 exp]"
        #expect(written == Self.bytes(expected))
        #expect(NetworkMark().written(into: Self.bytes(expected)) == Self.bytes(text))
    }

    @Test func `the last one counts, and what stands before is somebody else's`() {
        let alias = Self.bytes("[linkcond:1 con] rack [linkcond:1 exp]")
        #expect(NetworkMark(alias: alias) == NetworkMark(cost: .expensive))
        #expect(NetworkMark.foreignText(of: alias) == Self.bytes("[linkcond:1 con] rack"))
    }

    @Test func `a mark without words is one, and is written as none`() {
        #expect(Self.mark("[linkcond:1]") == NetworkMark())
        #expect(NetworkMark().written(into: Self.bytes("rack [linkcond:1]")) == Self.bytes("rack"))
    }

    @Test func `of words that contradict each other the later one counts`() {
        #expect(Self.mark("[linkcond:1 exp inexp wifi cell]")?.cost == .inexpensive)
        #expect(Self.mark("[linkcond:1 exp inexp wifi cell]")?.kind == .cellular)
    }

    @Test func `words of later versions are ignored and kept`() throws {
        var mark = try #require(Self.mark("[linkcond:1 exp roaming ends=soon sim=2]"))
        #expect(mark.unknownWords == ["roaming", "ends=soon", "sim=2"])
        #expect(mark.makesExpensive(.wired) && mark.ends == nil)
        mark.cost = .default
        #expect(mark.written(into: []) == Self.bytes("[linkcond:1 roaming ends=soon sim=2]"))
        #expect(!mark.isEmpty)
    }

    @Test func `text of others need not be text, and stays byte for byte`() {
        let foreign: [UInt8] = [0xff, 0x20, 0x20, 0xc3, 0x28, 0x0a, 0x20]
        let written = NetworkMark(isConstrained: true).written(into: foreign)
        #expect(written == foreign + Self.bytes(" [linkcond:1 con]"))
        #expect(NetworkMark().written(into: written ?? []) == foreign)
        #expect(
            NetworkMark(cost: .expensive).written(into: written ?? [])
                == foreign + Self.bytes(" [linkcond:1 exp]"))
    }

    @Test func `what the kernel has no room for is not written`() {
        let mark = NetworkMark(cost: .expensive)
        let token = " [linkcond:1 exp]".utf8.count
        let room = [UInt8](repeating: 0x78, count: 255 - token)
        #expect(mark.written(into: room)?.count == 255)
        #expect(mark.written(into: room + [0x78]) == nil)
        #expect(NetworkMark().written(into: [UInt8](repeating: 0x78, count: 255))?.count == 255)
    }

    @Test func `what is read from any bytes is written as it was`() {
        var generator = SystemRandomNumberGenerator()
        let pieces = [
            "[linkcond:1", "]", " ", "exp", "con", "cell", "=", "ends=5", "\u{e9}", "[", "x",
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...8, using: &generator)
            let text = (0..<count).compactMap { _ in pieces.randomElement(using: &generator) }
            let alias = Self.bytes(text.joined())
            guard let mark = NetworkMark(alias: alias) else {
                #expect(NetworkMark.foreignText(of: alias) == alias)
                continue
            }
            let again = mark.written(into: alias) ?? []
            #expect(NetworkMark(alias: again) ?? NetworkMark() == mark, "\(text.joined())")
            #expect(
                NetworkMark.foreignText(of: again) == NetworkMark.foreignText(of: alias)
                    || mark.isEmpty)
        }
    }

    @Test func `a sandbox says what its interface is, and an override stands on top`() {
        let sandbox = NetworkMark(kind: .cellular).sandboxAlias
        #expect(NetworkMark(alias: sandbox) == nil)
        #expect(NetworkMark.effective(alias: sandbox) == NetworkMark(kind: .cellular))
        let both = NetworkMark(cost: .inexpensive, isConstrained: true).written(into: sandbox)
        #expect(
            NetworkMark.effective(alias: both ?? [])
                == NetworkMark(cost: .inexpensive, isConstrained: true, kind: .cellular))
        let hotspot = NetworkMark(isHotspot: true).written(into: sandbox)
        #expect(NetworkMark.effective(alias: hotspot ?? []) == NetworkMark(isHotspot: true))
        #expect(NetworkMark().written(into: both ?? []) == sandbox)
        #expect(NetworkMark.effective(alias: Self.bytes("rack 7")) == nil)
    }

    @Test func `cellular costs money unless it is said not to, and a hotspot is constrained`() {
        #expect(NetworkMark().kind(insteadOf: .cellular) == .cellular)
        #expect(NetworkMark(isHotspot: true).kind(insteadOf: .cellular) == .wifi)
        #expect(NetworkMark(kind: .wired, isHotspot: true).kind(insteadOf: .cellular) == .wired)
        #expect(NetworkMark(kind: .cellular).makesExpensive(.wired))
        #expect(!NetworkMark(kind: .wired).makesExpensive(.cellular))
        #expect(NetworkMark().makesExpensive(.cellular))
        #expect(!NetworkMark(cost: .inexpensive).makesExpensive(.cellular))
        #expect(!NetworkMark().makesExpensive(.wifi) && !NetworkMark().makesConstrained)
        #expect(NetworkMark(isHotspot: true).makesExpensive(.wifi))
        #expect(NetworkMark(isHotspot: true).makesConstrained)
        #expect(!NetworkMark(isConstrained: false, isHotspot: true).makesConstrained)
    }
}
