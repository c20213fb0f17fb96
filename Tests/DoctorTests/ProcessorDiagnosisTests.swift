import LinkTesting
import Testing

@testable import Doctor

@Suite("Diagnosis of what the packet engine gets of the processors", .tags(.unit))
struct ProcessorDiagnosisTests {
    private static func checks(
        mayPrecede: Bool = true, isPrivileged: Bool = true, count: Int? = 4, quota: Double? = nil,
        isContainer: Bool = false
    ) -> [Diagnosis.Check] {
        Diagnosis.processorChecks(
            ProcessorFindings(
                mayPrecede: mayPrecede, isPrivileged: isPrivileged, count: count, quota: quota),
            HostSystem(
                kernelRelease: "6.1.0-30-amd64", distributionName: "Debian GNU/Linux 12",
                distributionIDs: ["debian"], isContainer: isContainer))
    }

    @Test func `a machine of one's own has all`() {
        #expect(Self.checks().allSatisfy { $0.status == .ok && $0.fix == nil })
        #expect(Self.checks()[1].detail == "4 processors")
        #expect(Self.checks(count: 1)[1].detail == "1 processor")
        #expect(Self.checks(count: nil)[1].detail == "unlimited")
    }

    @Test(arguments: [
        (false, false, "/etc/security/limits.d"), (false, true, "--cap-add SYS_NICE"),
        (true, false, "cpu.rt_runtime_us"), (true, true, "cpu.rt_runtime_us"),
    ])
    func `who may not go first is told what gives the right`(
        isPrivileged: Bool, isContainer: Bool, fix: String
    ) {
        let check = Self.checks(
            mayPrecede: false, isPrivileged: isPrivileged, isContainer: isContainer)[0]
        #expect(check.status == .limited)
        #expect(check.fix?.contains(fix) == true, "\(check)")
    }

    @Test(
        arguments: [
            (
                4, 0.5,
                "0.5 of 4 processors, by control groups: once that is used up, packets stand still"
            ),
            (4, 2, nil), (1, 0.333, "0.33 of 1 processor"), (2, 2, nil), (1, 1, nil),
        ] as [(Int, Double, String?)])
    func `a small share is told`(count: Int, quota: Double, text: String?) {
        let check = Self.checks(count: count, quota: quota)[1]
        #expect(check.status == (text == nil ? .ok : .limited))
        #expect(text.map(check.detail.hasPrefix) ?? true, "\(check)")
        #expect((check.fix == nil) == (text == nil))
    }
}
