import LinkModel
import LinkTesting
import Testing

@testable import DataPlane

@Suite("Choice between the data planes", .tags(.unit)) struct PlaneChoiceTests {
    @Test func `what was named is taken, and nobody asks what the kernel lacks`() {
        func asked() -> PlaneLack? {
            Issue.record("it was asked")
            return nil
        }
        for (backend, kind) in [(Backend.kernel, DataPlaneKind.kernel), (.engine, .engine)] {
            let choice = PlaneChoice(backend, kernelLacks: asked())
            #expect(choice.kind == kind && choice.reason == "as asked for")
            #expect(!choice.isNegotiable)
        }
    }

    @Test func `the kernel is preferred where it can do all`() {
        let choice = PlaneChoice(.auto, kernelLacks: nil)
        #expect(choice.kind == .kernel && choice.isNegotiable)
        #expect(choice.explanation == "kernel data plane: it can do all that was asked for")
    }

    @Test func `what it lacks is the reason for the engine`() {
        let choice = PlaneChoice(.auto, kernelLacks: PlaneLack("it knows no trace"))
        #expect(choice.explanation == "packet engine: it knows no trace")
        #expect(!choice.isNegotiable, "the kernel cannot take over")
        let minor = PlaneChoice(.auto, kernelLacks: PlaneLack("it jitters", isMinor: true))
        #expect(minor.kind == .engine && minor.isNegotiable)
    }

    @Test func `what the engine lacks leaves to the kernel what that does less exactly`() {
        let engine = PlaneLack("wwan0: no Ethernet")
        let minor = PlaneChoice(
            .auto, kernelLacks: PlaneLack("it jitters", isMinor: true), engineLacks: engine)
        #expect(minor.kind == .kernel && minor.reason == "wwan0: no Ethernet")
        #expect(minor.drawback == "it jitters")
        let major = PlaneChoice(.auto, kernelLacks: PlaneLack("no netem"), engineLacks: engine)
        #expect(major.kind == .engine, "the engine says itself what it lacks")
    }
}
