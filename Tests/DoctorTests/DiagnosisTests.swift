import Foundation
import KernelPlane
import LinkTesting
import LinuxKernel
import Testing

@testable import Doctor

@Suite("Diagnosis of a host", .tags(.unit))
struct DiagnosisTests {
    private static func host(
        _ name: String, _ ids: [String], kernel: String = "6.1.0-30-amd64",
        isContainer: Bool = false, awaitsReboot: Bool = false
    ) -> HostSystem {
        HostSystem(
            kernelRelease: kernel, distributionName: name, distributionIDs: ids,
            isContainer: isContainer, awaitsReboot: awaitsReboot)
    }

    private static let debian = host("Debian GNU/Linux 12 (bookworm)", ["debian"])
    private static let hosts = [
        debian, host("Ubuntu 24.04 LTS", ["ubuntu", "debian"], kernel: "6.8.0-31-generic"),
        host("Linux Mint 22", ["linuxmint", "ubuntu", "debian"], kernel: "6.8.0-38-generic"),
        host("Fedora Linux 42", ["fedora"], kernel: "6.14.0-63.fc42.x86_64"),
        host("AlmaLinux 9.4", ["almalinux", "rhel", "centos", "fedora"]),
        host(
            "Ubuntu 22.04 LTS", ["ubuntu", "debian"],
            kernel: "5.15.153.1-microsoft-standard-WSL2"),
        host("Debian GNU/Linux 12 (bookworm)", ["debian"], isContainer: true),
        host("Arch Linux", ["arch"], kernel: "6.15.1-arch1-1"),
        host("Arch Linux", ["arch"], kernel: "6.15.1-arch1-1", awaitsReboot: true),
    ]

    private static let everything = Dictionary(
        uniqueKeysWithValues: KernelFeature.allCases.map { ($0, FeatureAnswer.present) })

    /// A host that has everything a sandbox may use.
    private static let capable = SandboxFindings(
        privilege: SandboxPrivilege(isRoot: true, missing: []), asItIs: .possible,
        inUserNamespace: .possible, mayUsersMakeNamespaces: true, doesAppArmorRestrict: false,
        programs: ["pasta", "slirp4netns", "nft"], tunnelDevice: .usable,
        program: "/usr/bin/linkcond")

    private static func without(
        _ features: KernelFeature..., answer: FeatureAnswer = .missing
    ) -> [KernelFeature: FeatureAnswer] {
        everything.merging(features.map { ($0, answer) }) { $1 }
    }

    private static func text(_ diagnosis: Diagnosis) -> String {
        diagnosis.checks.map { check in
            "\(check.status.rawValue) \(check.name): \(check.detail)\n"
                + (check.fix.map {
                    "    \($0.split(separator: "\n").joined(separator: "\n    "))\n"
                }
                    ?? "")
        }.joined() + "serves: \(diagnosis.servesKernelPlane)\n"
    }

    @Test("What each kind of host is told to do is in the golden file")
    func remedies() throws {
        let texts = Self.hosts.map { host in
            Self.text(
                .make(
                    answers: Self.without(.netem, .htb), mayChangeNetwork: true, host: host,
                    sandbox: Self.capable))
        }
        try Golden("diagnoses.txt").expect(texts.joined(separator: "\n"))
    }

    @Test(arguments: [
        (modules: ["6.15.2"], hasLoadableModules: true, awaitsReboot: true),
        (["6.15.1", "6.15.2"], true, false), ([], true, false), (["6.15.2"], false, false),
    ])
    func `a host whose kernel's modules were replaced awaits a reboot`(
        modules: [String], hasLoadableModules: Bool, awaitsReboot: Bool
    ) throws {
        let root = FileManager.default.temporaryDirectory.appending(
            path: "linkcond-test-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        for name in modules.map({ "lib/modules/\($0)" }) + ["proc"] {
            try FileManager.default.createDirectory(
                at: root.appending(path: name), withIntermediateDirectories: true)
        }
        if hasLoadableModules { try Data().write(to: root.appending(path: "proc/modules")) }
        #expect(HostSystem.awaitsReboot("6.15.1", root: root.path) == awaitsReboot)
    }

    @Test("A host that has everything is told to do nothing")
    func complete() {
        let diagnosis = Diagnosis.make(
            answers: Self.everything, mayChangeNetwork: true, host: Self.debian,
            sandbox: Self.capable)
        #expect(diagnosis.servesKernelPlane)
        #expect(diagnosis.checks.allSatisfy { $0.status == .ok && $0.fix == nil })
        #expect(diagnosis.checks.count == KernelFeature.allCases.count + 8)
    }

    @Test(
        "Without what every profile needs the kernel does not serve",
        arguments: KernelFeature.allCases)
    func essentials(feature: KernelFeature) throws {
        let diagnosis = Diagnosis.make(
            answers: Self.without(feature), mayChangeNetwork: true, host: Self.debian,
            sandbox: Self.capable)
        #expect(diagnosis.servesKernelPlane == !feature.isEssential)
        let check = try #require(diagnosis.checks.first { $0.name == feature.rawValue })
        #expect(check.status == (feature.isEssential ? .missing : .limited))
        #expect(check.fix == Self.debian.remedy)
        #expect(check.detail.contains(feature.configurationOption))
    }

    @Test("A feature whose absence is not certain is told in the kernel's words")
    func unclear() throws {
        let diagnosis = Diagnosis.make(
            answers: Self.without(.netem, answer: .unclear("No buffer space available")),
            mayChangeNetwork: true, host: Self.debian, sandbox: Self.capable)
        #expect(!diagnosis.servesKernelPlane)
        let check = try #require(diagnosis.checks.first { $0.name == "sch_netem" })
        #expect(check.status == .limited)
        #expect(check.detail.contains("No buffer space available"))
    }

    @Test("Without root, what cannot be asked is said, and how to ask")
    func unprivileged() {
        var user = Self.capable
        user.privilege = SandboxPrivilege(isRoot: false, missing: [.sysAdmin, .netAdmin, .netRaw])
        let diagnosis = Diagnosis.make(
            answers: nil, mayChangeNetwork: false, host: Self.debian, sandbox: user)
        #expect(!diagnosis.servesKernelPlane && !diagnosis.isAskedByRoot)
        #expect(diagnosis.checks.prefix(3).map(\.status) == [.ok, .limited, .limited])
        #expect(diagnosis.checks[1...2].allSatisfy { $0.fix?.contains("sudo") == true })
    }

    @Test func `root who may not ask is not told to be root`() throws {
        var root = Self.capable
        root.privilege = SandboxPrivilege(isRoot: true, missing: [.netAdmin])
        let container = Self.host("Debian", ["debian"], isContainer: true)
        let fixes = [container, Self.debian].map { host in
            Diagnosis.make(answers: nil, mayChangeNetwork: false, host: host, sandbox: root)
                .checks[2].fix ?? ""
        }
        #expect(fixes[0].contains("--cap-add NET_ADMIN"))
        #expect(fixes[1].contains("CAP_NET_ADMIN"))
        #expect(!fixes.joined().contains("sudo"))
    }

    @Test func `a container is known by its runtime's file or by its processes`() {
        let nothing = { (_: String) in false }
        let host = "pid:[4026531836]"
        #expect(!HostSystem.isContainer(processes: host, exists: nothing))
        #expect(!HostSystem.isContainer(processes: nil, exists: nothing))
        #expect(HostSystem.isContainer(processes: "pid:[4026532201]", exists: nothing))
        #expect(HostSystem.isContainer(processes: host) { $0 == "/.dockerenv" })
    }

    @Test("A kernel that has everything does not serve somebody who may not use it")
    func noPrivilege() {
        #expect(
            !Diagnosis.make(
                answers: Self.everything, mayChangeNetwork: false, host: Self.debian,
                sandbox: Self.capable
            ).servesKernelPlane)
    }

    @Test("An os-release file is read with and without quotes, comments and damage")
    func osRelease() {
        let values = HostSystem.parse(
            osRelease: """
                PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"
                ID=debian

                # comment
                ID_LIKE='rhel centos'
                EMPTY=
                =
                nonsense
                URL="https://a.example/?b=c"
                """)
        #expect(values["PRETTY_NAME"] == "Debian GNU/Linux 12 (bookworm)")
        #expect(values["ID"] == "debian")
        #expect(values["ID_LIKE"] == "rhel centos")
        #expect(values["URL"] == "https://a.example/?b=c")
        #expect(HostSystem.parse(osRelease: "").isEmpty)
    }

    @Test("The host that runs the test is described")
    func thisHost() {
        let host = HostSystem.current()
        #expect(!host.kernelRelease.isEmpty)
        #expect(!host.kernelRelease.contains("\n"))
        #expect(!host.distributionName.isEmpty)
        #expect(!host.remedy.isEmpty)
    }
}
