import FoundationEssentials
import HTTPAPI
import HostAPI
import LinuxKernel
import NIOCore
import NIOPosix
import Synchronization
import SystemPackage

/// The host as its command line sees it.
final class CommandLineHost: HostController {
    /// How long a command may take; `apply` waits for locks.
    private static let patience = Duration.seconds(60)

    /// The path of `linkcond`.
    let path: String
    let group: any EventLoopGroup
    private let feeds = Mutex<[Int32?: LineFeed]>([:])
    private let turns = Turns()

    /// - Parameter path: That of `linkcond`.
    init(path: String, on group: any EventLoopGroup) {
        self.path = path
        self.group = group
    }

    /// A program that does not keep the sockets of the server, which swift-nio lets programs inherit:
    /// the port would be in use as long as it runs, and browsers would wait for answers.
    static func program(_ path: String, _ arguments: [String]) -> LinuxKernel.Program {
        var program = LinuxKernel.Program(path, arguments)
        program.hasOnlyStreams = true
        return program
    }

    func run(_ arguments: [String]) async throws -> CommandResult {
        let path = path
        return try await NIOSingletons.posixBlockingThreadPool.runIfActive {
            try Self.run(path, arguments)
        }
    }

    private static func run(_ path: String, _ arguments: [String]) throws -> CommandResult {
        var output = try Pipe()
        var messages = try Pipe()
        var program = CommandLineHost.program(path, arguments)
        program.streams = [LinuxKernel.Program.nothing, output.writer, messages.writer]
        let process = try program.start()
        output.closeWriter()
        messages.closeWriter()
        let (text, isComplete) = output.read(upTo: nil, within: patience)
        if !isComplete { LinuxKernel.Process.terminate(process) }
        // A watcher that goes on must not hold this: it has no streams of the command's.
        let (complaints, _) = messages.read(upTo: nil, within: .seconds(1))
        let code = LinuxKernel.Process.wait(for: process)?.shellCode ?? 1
        return CommandResult(
            exitCode: code, output: text,
            messages: complaints.split(whereSeparator: \.isNewline).map(String.init))
    }

    func feed(of process: Int32?) async throws -> AsyncStream<String> {
        try await turns.take {
            if let stream = feeds.withLock({ $0[process] })?.listen() { return stream }
            let words = ["serve-feed"] + (process.map { ["--pid", "\($0)"] } ?? [])
            let feed = try await LineFeed.start(path, words, on: group)
            guard let stream = feed.listen() else { return AsyncStream { $0.finish() } }
            feeds.withLock { feeds in
                feeds = feeds.filter { !$0.value.hasEnded }
                feeds[process] = feed
            }
            return stream
        }
    }
}
