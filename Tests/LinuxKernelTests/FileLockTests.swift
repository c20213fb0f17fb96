import LinkTesting
import Testing

@testable import LinuxKernel

@Suite("File locks")
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
}
