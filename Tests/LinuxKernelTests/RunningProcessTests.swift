import Foundation
import LinkTesting
import SystemPackage
import Testing

@testable import LinuxKernel

@Suite("Running processes", .tags(.anyKernel))
struct RunningProcessTests {
    @Test("A process is called as its file, its first argument and its first thread are")
    func names() async throws {
        try await withTemporaryDirectory { directory in
            let sleep = try shell("readlink -f \"$(command -v sleep)\"")
                .trimmingCharacters(in: .whitespacesAndNewlines)
            _ = try shell("cp '\(sleep)' '\(directory.path)/of the file'")
            _ = try shell("ln -s 'of the file' '\(directory.path)/a link of more bytes'")
            let script = "exec -a /x/argument '\(directory.path)/a link of more bytes' 60"
            let started = Foundation.Process()
            started.executableURL = URL(filePath: "/bin/bash")
            started.arguments = ["-c", script]
            try started.run()
            // It blocks SIGTERM, as the thread does that started it.
            defer { kill(started.processIdentifier, SIGKILL) }
            let process = RunningProcess(number: started.processIdentifier)
            for _ in 0..<500 where process.executableName != "of the file" {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(process.executableName == "of the file")
            #expect(process.threadName == "a link of more ")
            for name in ["of the file", "argument", "a link of more bytes", "a link of more "] {
                #expect(process.isCalled(name), "\(name)")
            }
            for name in ["bash", "x", "a link", "of the file (deleted)", ""] {
                #expect(!process.isCalled(name), "\(name)")
            }
            #expect(RunningProcess.all.contains(process))
            _ = try shell("rm '\(directory.path)/of the file'")
            #expect(process.isCalled("of the file"))
        }
    }

    @Test("Its sockets are found among its files")
    func sockets() throws {
        let own = RunningProcess(number: getpid())
        let socket = try DatagramSocket(isIPv6: false)
        #expect(own.sockets[socket.descriptor.rawValue] != nil)
        #expect(RunningProcess(number: .max).sockets.isEmpty)
    }

    @Test("Its parent and its variables are those with which it was started")
    func origin() async throws {
        let started = Foundation.Process()
        started.executableURL = URL(filePath: "/bin/sleep")
        started.arguments = ["60"]
        started.environment = ["LONGER": "x=y", "LONG": "", "LAST": "ä"]
        try started.run()
        defer { kill(started.processIdentifier, SIGKILL) }
        let process = RunningProcess(number: started.processIdentifier)
        // A program counts as started a moment before its environment can be read.
        for _ in 0..<500 where process.variable("LAST") == nil {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(process.parent == .current)
        #expect(process.variable("LONGER") == "x=y")
        #expect(process.variable("LONG") == "")
        #expect(process.variable("LAST") == "ä")
        #expect(process.variable("LO") == nil)
        #expect(RunningProcess(number: .max).parent == nil)
        #expect(RunningProcess(number: .max).variable("LONG") == nil)
    }

    @Test("The parent is found behind any name")
    func anyName() {
        #expect(RunningProcess.parent(inStat: "7 (a ) b) (c)) S 42 7 7")?.number == 42)
        #expect(RunningProcess.parent(inStat: "7 (docker exec) S 0 7 7") == nil)
        #expect(RunningProcess.parent(inStat: "7") == nil)
    }
}
