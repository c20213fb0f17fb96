import Glibc
import LinkTesting
import SystemPackage
import Testing

@testable import LinuxKernel

@Suite("File locks", .tags(.anyKernel))
struct FileLockTests {
    /// Holds a lock until a file beside it says that it may go.
    private static let program = """
        import fcntl, os, sys, time
        file = open(sys.argv[1], "r+")
        fcntl.lockf(file, fcntl.LOCK_EX)
        while not os.path.exists(sys.argv[1] + ".release"):
            time.sleep(0.02)
        print(os.getpid())
        """

    @Test("Others see the process that holds a lock, until it ends")
    func owner() async throws {
        try await withTemporaryDirectory { directory in
            let path = "\(directory.path)/lock"
            #expect(throws: KernelError.self) { try FileLock.owner(at: path) }
            try directory.write("", to: "lock")
            let none = try FileLock.owner(at: path)
            #expect(none == nil)

            async let process = runProcess("python3", ["-c", Self.program, path])
            var owner: Int32?
            for _ in 0..<1000 where owner == nil {
                try await Task.sleep(for: .milliseconds(20))
                owner = try FileLock.owner(at: path)
            }
            try directory.write("", to: "lock.release")
            let said = try await process.standardOutput
            #expect(said == "\(owner ?? 0)\n")
            let former = try FileLock.owner(at: path)
            #expect(former == nil)
        }
    }

    /// Holds the lock that makes others wait until it is killed.
    private static let holder = """
        import fcntl, sys, time
        file = open(sys.argv[1], "w")
        fcntl.flock(file, fcntl.LOCK_EX)
        open(sys.argv[1] + ".held", "w")
        time.sleep(60)
        """

    /// Runs `body` while another process holds the lock at a path.
    private func whileHeld(_ body: (_ path: String) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let path = "\(directory.path)/lock"
            _ = try FileLock(path: path)
            let script = "python3 -c '\(Self.holder)' \(path) >/dev/null 2>&1 & echo $!"
            let process = try shell(script).filter { !$0.isNewline }
            defer { _ = try? shell("kill -9 \(process)") }
            try shell("until test -e \(path).held; do sleep 0.01; done")
            try body(path)
        }
    }

    @Test("A wait has an end, and says who has the lock")
    func patience() async throws {
        try await whileHeld { path in
            let error = #expect(throws: KernelError.self) {
                _ = try FileLock(path: path, patience: .milliseconds(100))
            }
            #expect(error?.errno == .wouldBlock)
            let subject = error?.subject ?? ""
            #expect(subject.hasPrefix("\(path), which process "), "\(subject)")
            #expect(subject.hasSuffix(" (python3) has held for 0 s"), "\(subject)")
        }
    }

    /// Holds the lock for three seconds, and begins anew all the time.
    private static let turns = """
        import fcntl, os, sys, time
        file = open(sys.argv[1], "w")
        fcntl.flock(file, fcntl.LOCK_EX)
        open(sys.argv[1] + ".held", "w")
        end = time.monotonic() + 3
        while time.monotonic() < end:
            os.utime(file.fileno())
            time.sleep(0.02)
        """

    @Test("While it passes from one holder to the next the wait goes on, though none is visible")
    func turns() async throws {
        try await withTemporaryDirectory { directory in
            let path = "\(directory.path)/lock"
            let before = try began(path)
            // The kernel's clock for files goes by ticks.
            try await Task.sleep(for: .milliseconds(20))
            #expect(try began(path) > before)
            try shell("python3 -c '\(Self.turns)' \(path) >/dev/null 2>&1 &")
            try shell("until test -e \(path).held; do sleep 0.01; done")
            _ = try FileLock(path: path, patience: .seconds(1))
        }
    }

    /// Takes the lock; when, by what it tells others.
    private func began(_ path: String) throws -> Duration {
        _ = try FileLock(path: path)
        return try #require(FileStatus(ofFileAt: path)).modified
    }

    @Test("A signal that asks the process to end is heard in the wait, though it is blocked")
    func interruption() async throws {
        try await whileHeld { path in
            var signals = sigset_t()
            unsafe sigemptyset(&signals)
            unsafe sigaddset(&signals, SIGTERM)
            var before = sigset_t()
            unsafe pthread_sigmask(SIG_BLOCK, &signals, &before)
            raise(SIGTERM)
            let error = #expect(throws: KernelError.self) { _ = try FileLock(path: path) }
            var number: Int32 = 0
            unsafe sigwait(&signals, &number)
            unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
            #expect(error?.errno == .interrupted)
            #expect(number == SIGTERM)
        }
    }

    @Test("A lock on a file that others can open is none")
    func openToOthers() async throws {
        try await whileHeld { path in
            try shell("chmod 644 \(path)")
            _ = try FileLock(path: path, patience: .zero)
            #expect(FileStatus(ofFileAt: path)?.permissions == 0o600)
        }
    }

    @Test("The kernel's table of locks is read")
    func table() throws {
        let text = """
            1: POSIX  ADVISORY  WRITE 100 00:1a:77 0 EOF
            2: FLOCK  ADVISORY  WRITE 4711 00:1a:77 0 EOF
            2: -> FLOCK  ADVISORY  WRITE 4712 00:1a:77 0 EOF
            3: FLOCK  ADVISORY  READ 4713 08:12:77 0 EOF
            broken
            """
        let file = try #require(FileStatus(ofFileAt: "/"))
        #expect(LockTable.holders(of: file, in: text) == [])
        let path = "/proc/self/status"
        let other = try #require(FileStatus(ofFileAt: path))
        let line = "1: FLOCK  ADVISORY  READ 9 00:\(String(other.device & 0xff, radix: 16)):"
        #expect(LockTable.holders(of: other, in: "\(line)\(other.inode) 0 EOF") == [9])
    }
}
