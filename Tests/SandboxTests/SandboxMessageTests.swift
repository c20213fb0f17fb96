import LinkModel
import LinkTesting
import LinuxKernel
import SystemPackage
import Testing

@testable import Sandbox

@Suite("Messages of a sandbox", .tags(.unit))
struct SandboxMessageTests {
    @Test(
        arguments: [
            .built, .start, .signal(15), .note("a\nb"), .explanation(""),
            .statistics("{\"ä\": 1}", isLast: true), .statistics("{", isLast: false), .ended(-1),
            .ended(255), .failed(SandboxError("no", status: .notFound)),
            .refused(KernelError(.create, subject: "a user namespace", errno: .noSpace)),
            .dataPlane(.kernel), .dataPlane(.engine), .commandEnded,
            .drained(
                Drain.Remainder(connections: 2, relayed: 1, packets: .max), milliseconds: 60_000),
        ] as [SandboxMessage])
    func `a message is read as it was sent`(message: SandboxMessage) {
        #expect(SandboxMessage(message.bytes) == message)
    }

    @Test(
        arguments: [
            [], [1], [1, 0, 0, 0], [0, 0, 0, 0, 0], [99, 0, 0, 0, 0], [10, 0, 0, 0, 0],
            [13, 0, 0, 0, 0], [13, 0, 0, 0, 0, 49],
            [17, 1, 0, 0, 0], [17, 1, 0, 0, 0, 49, 32, 49],
        ] as [[UInt8]])
    func `what is no message is not read`(bytes: [UInt8]) {
        #expect(SandboxMessage(bytes) == nil)
    }
}
