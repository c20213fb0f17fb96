import LinkTesting
import Testing

@Suite("Errors of run --scenario and play", .tags(.unit)) struct PlayErrorTests {
    @Test(
        arguments: [
            (["run", "LTE", "--scenario", "elevator", "--", "true"], 64, "leave all but one"),
            (
                ["run", "--scenario", "elevator", "--set", "down.loss=2%", "--", "true"], 64,
                "--set"
            ),
            (["run", "--scenario", "elevatr", "--", "true"], 64, "did you mean Elevator?"),
            (["run", "--scenario", "./none.yaml", "--", "true"], 74, "none.yaml"),
            (["play", "elevatr"], 64, "did you mean Elevator?"),
            (["play", "wifi-to-cellular"], 64, "-i wifi0=NAME -i cell0=NAME"),
            (["play", "elevator", "-i", "wifi0=eth0"], 64, "the scenario has cell0"),
            (["matrix", "--scenarios", "elevatr", "--", "true"], 64, "did you mean Elevator?"),
            (["matrix", "--scenarios", "elevator,lift", "--", "true"], 64, "is there twice"),
        ])
    func `what is wrong is told`(arguments: [String], code: Int32, reason: String) async throws {
        let result = try await runProcess(
            BuiltProduct.path(of: "linkcond"), arguments,
            environment: ["HOME": "/nonexistent", "PATH": "/usr/bin:/bin"], workingDirectory: "/")
        #expect(result.exitCode == code, "\(result.standardError)")
        #expect(result.standardError.contains(reason), "\(result.standardError)")
    }
}
