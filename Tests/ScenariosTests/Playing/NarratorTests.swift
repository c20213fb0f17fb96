import LinkTesting
import Testing

@testable import Scenarios

@Suite("What is told of a scenario", .tags(.unit))
struct NarratorTests {
    private static func event(
        _ text: String = "wifi0: down", _ subject: PlayedEvent.Subject = .interface("wifi0"),
        lateness: Duration = .zero, effort: Duration = .zero, failure: String? = nil,
        line: Int? = 27
    ) -> PlayedEvent {
        PlayedEvent(
            text: text, subject: subject, plannedTime: .seconds(12),
            time: .seconds(12) + lateness, lateness: lateness, effort: effort, failure: failure,
            lineNumber: line)
    }

    @Test func `what goes well is told with its time, and how late it was if that is much`() {
        var narrator = Narrator(origin: "trip.yaml")
        #expect(narrator.remark(on: Self.event()) == .event("12.000 s  wifi0: down"))
        #expect(
            narrator.remark(on: Self.event(lateness: .milliseconds(5)))
                == .event("12.005 s  wifi0: down"))
        #expect(
            narrator.remark(on: Self.event(lateness: .microseconds(7230)))
                == .event("12.007 s  wifi0: down (7.2 ms late)"))
        #expect(narrator.failedExpectations == 0)
    }

    @Test func `an expectation that fails is counted, another failure is noted`() {
        var narrator = Narrator(origin: "trip.yaml")
        let failure = "expected isConstrained == true; was false"
        let expectation = Self.event(
            "expect isConstrained == true", .expectation, failure: failure)
        #expect(
            narrator.remark(on: expectation) == .failedExpectation("trip.yaml:27: \(failure)"))
        #expect(
            narrator.remark(on: Self.event(failure: "it is gone"))
                == .note("trip.yaml:27: wifi0: down: it is gone"))
        #expect(narrator.failedExpectations == 1)
        _ = narrator.remark(on: Self.event("expect status == satisfied", .expectation))
        #expect(narrator.failedExpectations == 1)
        _ = narrator.remark(on: expectation)
        #expect(narrator.failedExpectations == 2)
    }

    @Test func `what stands in no file names the scenario alone`() {
        var narrator = Narrator(origin: "Elevator")
        #expect(
            narrator.remark(on: Self.event(failure: "it is gone", line: nil))
                == .note("Elevator: wifi0: down: it is gone"))
    }

    @Test func `at the end those are summed up that began late, whatever they took`() {
        var narrator = Narrator(origin: "trip.yaml")
        _ = narrator.remark(
            on: Self.event(lateness: .milliseconds(80), effort: .milliseconds(76)))
        #expect(narrator.conclusion == nil)
        _ = narrator.remark(on: Self.event(lateness: .milliseconds(9), effort: .milliseconds(2)))
        #expect(
            narrator.conclusion
                == .note(
                    "1 event was more than 5 ms late, at most 7 ms; the machine is too busy"))
        _ = narrator.remark(on: Self.event(lateness: .microseconds(12_340), failure: "it is gone"))
        #expect(
            narrator.conclusion
                == .note(
                    "2 events were more than 5 ms late, at most 12.3 ms; the machine is too busy"))
    }
}
