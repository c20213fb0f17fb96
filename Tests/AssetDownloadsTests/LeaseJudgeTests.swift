import LinkTesting
import Testing

@testable import AssetDownloads

@Suite("Judging the holder of a lease", .tags(.unit)) struct LeaseJudgeTests {
    private static func beat(_ seconds: Double, boot: String = "a") -> LeaseJudge.Beat {
        LeaseJudge.Beat(boot: boot, time: .seconds(seconds))
    }

    /// Whether the holder is judged as stopped, each time that its latest beat is looked at.
    private static func verdicts(_ looks: [(LeaseJudge.Beat?, at: Double)]) -> [Bool] {
        var judge = LeaseJudge(patience: .seconds(10))
        return looks.map { judge.isStopped($0.0, at: beat($0.at)) }
    }

    @Test func `a holder that beats goes on for ever`() {
        let looks = (0..<1000).map { (Self.beat(Double($0)), at: Double($0 + 9)) }
        #expect(!Self.verdicts(looks).contains(true))
    }

    @Test func `an old beat says at once that the holder is stopped`() {
        #expect(Self.verdicts([(Self.beat(5), at: 15.1)]) == [true])
    }

    @Test(arguments: [("b", 5.0), ("a", 1e6)])
    func `beats of another boot or clock count only if they change`(
        _ boot: String, _ time: Double
    ) {
        let (first, next) = (Self.beat(time, boot: boot), Self.beat(time + 1, boot: boot))
        #expect(
            Self.verdicts([
                (first, at: 100), (first, at: 109), (next, at: 111), (next, at: 120),
                (next, at: 121.5),
            ]) == [false, false, false, false, true])
    }

    @Test func `without a readable beat there is the same patience`() {
        #expect(
            Self.verdicts([(nil, at: 100), (nil, at: 109), (nil, at: 111)]) == [false, false, true])
    }

    @Test func `a beat is read as it was written, and always has the same size`() throws {
        let beats = [Self.beat(0), Self.beat(1.5), Self.beat(1e8, boot: "b")]
        #expect(beats.map { LeaseJudge.Beat($0.text) } == beats)
        #expect(Set(beats.map(\.text.utf8.count)).count == 1)
        #expect(LeaseJudge.Beat("a") == nil && LeaseJudge.Beat("a b") == nil)
    }
}
