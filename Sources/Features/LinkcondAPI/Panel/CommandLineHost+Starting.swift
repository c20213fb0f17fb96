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
        let end = ChildEnd()
        return StartedCommand(
            lines: lines, interrupt: { end.interrupt(process) },
            exitCode: { await end.wait(for: process) })
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

/// The end of a child process, whose number is another's afterwards.
private actor ChildEnd {
    private var code: Int32?

    nonisolated func interrupt(_ process: Int32) {
        Task { await send(SIGINT, to: process) }
    }

    private func send(_ signal: Int32, to process: Int32) {
        if code == nil { LinuxKernel.Process.signal(signal, to: process) }
    }

    /// Called once the process has closed its standard error, and so is about to end.
    func wait(for process: Int32) async -> Int32 {
        while code == nil {
            if let end = LinuxKernel.Process.reap(process) {
                code = end.shellCode
            } else {
                try? await Task.sleep(for: .milliseconds(20))
            }
        }
        return code ?? 1
    }
}
