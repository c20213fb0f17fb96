import LinkTesting
import Testing

@testable import LinuxKernel

@Suite("Record locks")
struct RecordLockTests {
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
    func holder() async throws {
        try await withTemporaryDirectory { directory in
            let path = "\(directory.path)/lock"
            #expect(throws: KernelError.self) { try RecordLock.holder(of: path) }
            try directory.write("", to: "lock")
            let none = try RecordLock.holder(of: path)
            #expect(none == nil)

            async let process = runProcess("python3", ["-c", Self.program, path])
            var holder: Int32?
            for _ in 0..<1000 where holder == nil {
                try await Task.sleep(for: .milliseconds(20))
                holder = try RecordLock.holder(of: path)
            }
            try directory.write("", to: "lock.release")
            let said = try await process.standardOutput
            #expect(said == "\(holder ?? 0)\n")
            let former = try RecordLock.holder(of: path)
            #expect(former == nil)
        }
    }
}
