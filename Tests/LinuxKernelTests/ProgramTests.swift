import LinkTesting
import SystemPackage
import Testing

@testable import LinuxKernel

@Suite("Starting programs", .tags(.anyKernel))
struct ProgramTests {
    private static let missing = "/nonexistent/program"

    @Test func `Every way to start a program tells that there is none`() throws {
        let failure = try #require(throws: Program.Failure.self) {
            try Program(Self.missing, []).start()
        }
        #expect(failure.errno == .noSuchFileOrDirectory)
        #expect(failure.isOfProgram)
        var detached = Program(Self.missing, [])
        detached.isDetached = true
        #expect(throws: failure) { try detached.start() }
        let named = KernelError(.create, subject: Self.missing, errno: .noSuchFileOrDirectory)
        #expect(throws: named) { try HelperProgram.run(Self.missing, [], input: "") }
        #expect(throws: named) { try GuardedProgram(Self.missing, [], readyNumber: 3) }
    }

    @Test func `A stream that cannot be given is not the program's fault`() {
        var program = Program("/bin/true", [])
        program.streams = [FileDescriptor(rawValue: 1_000_000)]
        let failure = #expect(throws: Program.Failure.self) { try program.start() }
        #expect(failure?.errno == .badFileDescriptor)
        #expect(failure?.isOfProgram == false)
    }

    @Test func `A detached program has four descriptors, and a session that it does not lead`()
        throws
    {
        var voice = try Pipe()
        var program = Program(
            "/bin/sh",
            [
                "-c",
                """
                exec 1>&3
                pwd
                ls /proc/$$/fd
                readlink /proc/$$/fd/0 /proc/$$/fd/2
                grep SigIgn: /proc/$$/status
                read -r stat < /proc/$$/stat; set -- $stat; echo $6; echo $1
                """,
            ])
        program.streams = [Program.nothing, Program.nothing, Program.nothing, voice.writer]
        program.isDetached = true
        let session = try program.start()
        voice.closeWriter()
        let (text, isComplete) = voice.read(upTo: nil, within: .seconds(60))
        #expect(isComplete)
        let lines = text.split(separator: "\n").map(String.init)
        try #require(lines.count == 10, "\(text)")
        #expect(lines[0] == "/")
        #expect(lines[1...4] == ["0", "1", "2", "3"])
        #expect(lines[5...6] == ["/dev/null", "/dev/null"])
        #expect(lines[7] == "SigIgn:\t0000000000000000")
        #expect(lines[8] == "\(session)")
        #expect(lines[9] != lines[8])
    }

    @Test func `A guarded program says that it is ready, and ends with its guardian`() throws {
        let program = try GuardedProgram(
            "/bin/sh", ["-c", "echo said; echo complained >&2; echo >&3; exec sleep 100"],
            readyNumber: 3)
        #expect(program.isReady(within: .seconds(60)))
        #expect(program.message() == "said; complained")
        program.stop()
        #expect(!program.isReady(within: .seconds(60)))
    }

    @Test func `A helper program is heard by both outputs`() throws {
        let result = try HelperProgram.run(
            "/bin/sh", ["-c", "cat; echo two >&2; exit 3"], input: "one\n")
        #expect(
            result == HelperProgram.Result(exitCode: 3, message: "one; two", text: "one\ntwo\n"))
        let killed = try HelperProgram.run("/bin/sh", ["-c", "kill -9 $$"], input: "")
        #expect(killed.exitCode == 137)
    }

    @Test func `A helper program that takes too long is killed`() throws {
        let result = try HelperProgram.run(
            "/bin/sh", ["-c", "echo begun; exec sleep 100"], input: "",
            patience: .milliseconds(100))
        #expect(result.exitCode == 137)
        #expect(result.message == "it did not end within 0 s and was killed")
    }

    @Test func `A helper program that never stops writing is killed`() throws {
        let result = try HelperProgram.run(
            "/bin/sh", ["-c", "exec yes"], input: "", patience: .milliseconds(100))
        #expect(result.exitCode == 137)
        #expect(result.message.contains("and was killed"))
    }

    @Test func `Reading tells silence from the end`() throws {
        let ends = try PipeEnds()
        defer { try? ends.reader.close() }
        let read = { (most: Int, patience: Duration) in
            Readiness.read(from: ends.reader, atMost: most, until: .now + patience)
        }
        #expect(read(8, .zero) == nil)
        _ = try ends.writer.writeAll([1, 2, 3])
        #expect(read(2, .zero) == [1, 2])
        #expect(read(2, .zero) == [3])
        #expect(read(2, .zero) == nil)
        try ends.writer.close()
        // What another test forks meanwhile has a copy of the writer until it executes a program.
        #expect(read(2, .seconds(60)) == [])
    }
}
