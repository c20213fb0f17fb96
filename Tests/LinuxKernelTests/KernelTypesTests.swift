import Foundation
import LinkTesting
import Testing

@testable import LinuxKernel

@Suite("Types of the kernel", .tags(.unit))
struct KernelTypesTests {
    /// A description: `struct a { u32 b; union { struct { u32 c; u32 d:4; }; u32 e; }; };`
    private static let sample: [UInt8] = {
        let names = Array("\0a\0b\0c\0d\0e\0".utf8)
        func entry(_ name: UInt32, _ kind: UInt32, _ count: UInt32, _ rest: [UInt32]) -> [UInt32] {
            [name, kind << 24 | count] + rest
        }
        let types =
            entry(0, 1, 0, [4, 32])  // 1: a number
            + entry(0, 4, 2, [8, 5, 1, 0, 7, 1, 4 << 24 | 32]).with(bitFields: 1)  // 2
            + entry(0, 5, 2, [8, 0, 2, 0, 9, 1, 0])  // 3: the union
            + entry(1, 4, 2, [12, 3, 1, 0, 0, 3, 32])  // 4: a
        let words: [UInt32] = [
            0x01_eb9f, 24, 0, UInt32(4 * types.count), UInt32(4 * types.count), UInt32(names.count),
        ]
        let bytes = (words + types).flatMap { word in
            [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: word.littleEndian >> $0) }
        }
        return bytes + names
    }()

    @Test("Members are found, also in members without names")
    func members() throws {
        let types = try #require(KernelTypes(Self.sample))
        #expect(types.offset(of: "b", in: "a") == 0)
        #expect(types.offset(of: "c", in: "a") == 4)
        #expect(types.offset(of: "d", in: "a") == 8)
        #expect(types.offset(of: "e", in: "a") == 4)
        #expect(types.offset(of: "f", in: "a") == nil)
        #expect(types.offset(of: "b", in: "b") == nil)
    }

    @Test("Whatever is cut off, nothing is found beyond")
    func fragments() {
        for length in 0..<Self.sample.count {
            let types = KernelTypes(Array(Self.sample.prefix(length)))
            #expect(types?.offset(of: "e", in: "a") == nil)
        }
    }

    @Test(
        "The running kernel tells where a task has its name",
        .enabled(if: FileManager.default.fileExists(atPath: KernelTypes.path)))
    func kernel() throws {
        let types = try KernelTypes.ofKernel()
        #expect(types.offset(of: "comm", in: "task_struct") ?? 0 > 0)
        #expect(types.offset(of: "exe_file", in: "mm_struct") ?? 0 > 0)
        #expect(types.offset(of: "f_path", in: "file") != nil)
    }
}

extension [UInt32] {
    /// An entry whose members have widths.
    fileprivate func with(bitFields flag: UInt32) -> [UInt32] {
        var words = self
        words[1] |= flag << 31
        return words
    }
}
