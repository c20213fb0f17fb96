import Foundation
import LinkTesting
import Testing

extension Trait where Self == ConditionTrait {
    /// Runs the test where linkcond can use netem, and as root.
    ///
    /// With `LINKCOND_REQUIRE_KERNEL=1`, as in the kernel lab, it runs in any case: there a
    /// missing netem is a failure.
    static var requiresNetem: Self {
        .enabled("needs a kernel with netem: Scripts/test runs it in the kernel lab") {
            if isRequired { return true }
            return try await kernelHasNetem()
        }
    }

    /// Runs the test where the kernel lacks netem.
    static var requiresAbsenceOfNetem: Self {
        .enabled("needs a kernel without netem") {
            if isRequired { return false }
            return try await !kernelHasNetem()
        }
    }
}

private var isRequired: Bool {
    ProcessInfo.processInfo.environment["LINKCOND_REQUIRE_KERNEL"] == "1"
}

private func kernelHasNetem() async throws -> Bool {
    let result = try await runProcess(try TestNetwork.program(), ["doctor"])
    return result.exitCode == 0
}
