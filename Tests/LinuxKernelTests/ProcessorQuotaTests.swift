import LinkTesting
import Testing

@testable import LinuxKernel

@Suite("Processor time of control groups", .tags(.unit))
struct ProcessorQuotaTests {
    private static let root = ControlGroupFiles.root

    private static func least(_ groups: String, _ files: [String: String]) -> Double? {
        ControlGroupFiles(texts: files).read(for: groups, ProcessorQuota.least)
    }

    @Test func `the least of a group and of those around it counts`() {
        let files = [
            "\(Self.root)/a.slice/cpu.max": "50000 100000\n",
            "\(Self.root)/a.slice/b.service/cpu.max": "max 100000\n",
            "\(Self.root)/c.slice/cpu.max": "1000 100000\n",
        ]
        #expect(Self.least("0::/a.slice/b.service\n", files) == 0.5)
        #expect(Self.least("0::/a.slice\n", files) == 0.5)
        #expect(Self.least("0::/\n", files) == nil)
    }

    @Test func `a container has the file of its group at the top`() {
        let files = ["\(Self.root)/cpu.max": "200000 100000"]
        #expect(Self.least("0::/\n", files) == 2)
        #expect(Self.least("0::/docker/0123\n", files) == 2)
    }

    @Test func `version 1 has its controllers in trees of their own`() {
        let groups = "7:memory:/x\n3:cpu,cpuacct:/docker/0123\n0::/\n"
        let directory = "\(Self.root)/cpu,cpuacct"
        var files = [
            "\(directory)/docker/0123/cpu.cfs_quota_us": "10000\n",
            "\(directory)/docker/0123/cpu.cfs_period_us": "50000\n",
            "\(directory)/cpu.cfs_quota_us": "-1\n", "\(directory)/cpu.cfs_period_us": "100000\n",
            "\(Self.root)/memory/x/cpu.cfs_quota_us": "1\n",
        ]
        #expect(Self.least(groups, files) == 0.2)
        files["\(directory)/docker/0123/cpu.cfs_quota_us"] = "-1\n"
        #expect(Self.least(groups, files) == nil)
    }

    @Test(
        arguments: [
            (4, 0.5, 1), (4, 1.5, 2), (4, 4, 4), (4, 64, 4), (1, 0.1, 1), (4, nil, 4),
            (8, 1e300, 8),
        ] as [(Int, Double?, Int)])
    func `whole processors are counted, one at least`(count: Int, quota: Double?, usable: Int) {
        #expect(ProcessorQuota.usable(of: count, quota: quota) == usable)
    }

    @Test(arguments: ["", "0::\n", "x", "0::/a\n:::::\n", "1:cpu\n"])
    func `what nobody understands is no limit`(groups: String) {
        for text in ["", "max", "0 100000", "5 0", "a b", "nan 1", "1 2 3"] {
            #expect(Self.least(groups, ["\(Self.root)/cpu.max": text]) == nil)
        }
    }
}
