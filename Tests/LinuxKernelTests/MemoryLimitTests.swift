import LinkTesting
import Testing

@testable import LinuxKernel

@Suite("Memory of control groups", .tags(.unit))
struct MemoryLimitTests {
    private static let root = ControlGroupFiles.root

    private static func least(_ groups: String, _ files: [String: String]) -> UInt64? {
        ControlGroupFiles(texts: files).read(for: groups, MemoryLimit.least)
    }

    @Test func `the least of a group and of those around it counts`() {
        let files = [
            "\(Self.root)/memory.max": "max\n", "\(Self.root)/a/memory.max": "67108864\n",
            "\(Self.root)/a/b/memory.max": "134217728\n",
        ]
        #expect(Self.least("0::/a/b\n", files) == 64 << 20)
        #expect(Self.least("0::/\n", files) == nil)
        #expect(Self.least("", files) == nil)
    }

    @Test func `version 1 has a tree of its own for memory`() {
        let files = [
            "\(Self.root)/memory/memory.limit_in_bytes": "9223372036854771712\n",
            "\(Self.root)/memory/x/memory.limit_in_bytes": "1048576\n",
            "\(Self.root)/cpu/x/memory.limit_in_bytes": "1\n",
        ]
        #expect(Self.least("4:memory:/x\n3:cpu:/x\n0::/\n", files) == 1 << 20)
    }
}
