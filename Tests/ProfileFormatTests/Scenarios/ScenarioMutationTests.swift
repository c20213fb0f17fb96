import Foundation
import LinkModel
import LinkTesting
import ProfileFormat
import Scenarios
import Testing

/// Scenarios with something broken in them, the same in every run.
@Suite("Mutated scenarios", .tags(.unit))
struct ScenarioMutationTests {
    @Test(arguments: 0..<4 as Range<UInt64>)
    func `whatever is broken, it is played or refused in one line`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let directory = BuiltProduct.packageDirectory + "/Profiles/scenarios"
        let texts = try FileManager.default.contentsOfDirectory(atPath: directory).sorted().map {
            try String(contentsOfFile: "\(directory)/\($0)", encoding: .utf8)
                .replacing(/profile: [^,} ]+/, with: "profile: LTE")
        }
        var count = 0
        for _ in 0..<500 {
            let text = TextMutation.mutated(
                texts + [ScenarioReaderTests.everything], &generator)
            do {
                let scenario = try readScenario(text)
                count += 1
                var time = Duration.zero
                for event in Timeline(scenario, seed: seed).prefix(100) {
                    #expect(event.time >= time)
                    time = event.time
                    #expect("\(event.action)" == "\(event.action)".printable)
                }
            } catch let error as ProfileError {
                #expect(error.description.hasPrefix("a.yaml:"))
                #expect(error.description == error.description.printable)
            }
        }
        #expect(count > 20)
    }
}
