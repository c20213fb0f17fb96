import Glibc
import HostAPI
import LinuxKernel
import NIOCore
import NIOPosix
import SystemPackage

extension CommandLineHost {
    /// The longest report that is passed on, in bytes.
    private static let longestReport = 256 << 20

    func start(_ arguments: [String]) async throws -> StartedCommand {
        let messages = try PipeEnds()
        // Nobody could stop it any more from a page.
        let limit = ["--until-exit-of", "\(getpid())"]
        var program = Self.program(path, arguments + limit)
        program.streams = [
            LinuxKernel.Program.nothing, LinuxKernel.Program.nothing, messages.writer,
        ]
        let started = Result { try program.start() }
        try messages.writer.close()
        // Its lines are few, and none may be lost.
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        let channel = try await NIOPipeBootstrap(group: group)
            .channelOption(.autoRead, value: false)
            .takingOwnershipOfDescriptor(input: messages.reader.rawValue).get()
        channel.closeFuture.whenComplete { _ in continuation.finish() }
        let process: Int32
        do {
            process = try started.get()
        } catch {
            try? await channel.close()
            throw error
        }
        try await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.addHandler(
                LineReader { continuation.yield($0) })
        }.get()
        try await channel.setOption(.autoRead, value: true).get()
        let end = ChildEnd(of: process)
        return StartedCommand(
            process: process, lines: lines, interrupt: { end.interrupt() },
            exitCode: { await end.wait() })
    }

    func report(at path: String) async throws -> [UInt8]? {
        try await NIOSingletons.posixBlockingThreadPool.runIfActive {
            // Others than regular files may never end, and would hold up a plain open.
            guard
                let file = try? FileDescriptor.open(
                    FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
            else { return nil }
            defer { try? file.close() }
            guard let status = try? file.stat(), status.type == .regular,
                status.size <= Self.longestReport
            else { return nil }
            return try? file.readAll(limit: Self.longestReport)
        }
    }
}
