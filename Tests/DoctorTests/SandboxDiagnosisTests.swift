import LinkTesting
import LinuxKernel
import SystemPackage
import Testing

@testable import Doctor

@Suite("Diagnosis of what a sandbox needs", .tags(.unit))
struct SandboxDiagnosisTests {
    private static let debian = HostSystem(
        kernelRelease: "6.1.0-30-amd64", distributionName: "Debian GNU/Linux 12 (bookworm)",
        distributionIDs: ["debian"], isContainer: false)
    private static let container = HostSystem(
        kernelRelease: "6.1.0-30-amd64", distributionName: "Fedora Linux 42",
        distributionIDs: ["fedora"], isContainer: true)

    /// A user on a host that has everything.
    private static let user = SandboxFindings(
        privilege: SandboxPrivilege(isRoot: false, missing: [.sysAdmin, .netAdmin, .netRaw]),
        asItIs: .noNamespaces(.notPermitted), inUserNamespace: .possible,
        mayUsersMakeNamespaces: nil, doesAppArmorRestrict: nil,
        programs: ["pasta", "slirp4netns", "nft"], tunnelDevice: .usable,
        program: "/usr/local/bin/linkcond")

    private static let root = SandboxPrivilege(isRoot: true, missing: [])
    private static let noUserNamespaces = NamespaceLimit.Setting(
        key: "user.max_user_namespaces", most: 0)

    private static func changed(
        _ change: (inout SandboxFindings) -> Void
    ) -> SandboxFindings {
        var found = user
        change(&found)
        return found
    }

    private static let cases: [(name: String, found: SandboxFindings, host: HostSystem)] = [
        ("a user where everything is there", user, debian),
        (
            "no user namespaces at all, as root",
            changed {
                $0.privilege = root
                $0.asItIs = .possible
                $0.inUserNamespace = .noUserNamespace(.noSpace)
                $0.scarcity = noUserNamespaces
            }, debian
        ),
        (
            "no user namespaces at all, as a user",
            changed {
                $0.inUserNamespace = .noUserNamespace(.noSpace)
                $0.scarcity = noUserNamespaces
            }, debian
        ),
        (
            "Debian's switch",
            changed {
                $0.inUserNamespace = .noUserNamespace(.notPermitted)
                $0.mayUsersMakeNamespaces = false
            }, debian
        ),
        (
            "AppArmor",
            changed {
                $0.inUserNamespace = .noNamespaces(.notPermitted)
                $0.doesAppArmorRestrict = true
            }, debian
        ),
        (
            "AppArmor, with the profile of the package not loaded",
            changed {
                $0.inUserNamespace = .noNamespaces(.notPermitted)
                $0.doesAppArmorRestrict = true
                $0.appArmorProfile = "/etc/apparmor.d/linkcond"
            }, debian
        ),
        (
            "AppArmor, with the tarball's profile",
            changed {
                $0.inUserNamespace = .noNamespaces(.notPermitted)
                $0.doesAppArmorRestrict = true
                $0.appArmorProfile = "/usr/local/share/linkcond/apparmor/linkcond"
            }, debian
        ),
        ("a program that does not work", changed { $0.brokenPrograms = ["nft"] }, debian),
        (
            "a container whose seccomp filter forbids it, without helpers",
            changed {
                $0.inUserNamespace = .noUserNamespace(.notPermitted)
                $0.programs = []
                $0.tunnelDevice = .missing
            }, container
        ),
        (
            "a container that hides a part of /proc",
            changed { $0.inUserNamespace = .noProc(.notPermitted) }, container
        ),
        (
            "the same, as root with a container's usual privileges",
            changed {
                $0.privilege = SandboxPrivilege(isRoot: true, missing: [.sysAdmin, .netAdmin])
                $0.inUserNamespace = .noProc(.notPermitted)
            }, container
        ),
        (
            "root with all privileges in a container whose AppArmor forbids mounts",
            changed {
                $0.privilege = root
                $0.asItIs = .noProc(.permissionDenied)
                $0.inUserNamespace = .noProc(.permissionDenied)
            }, container
        ),
        (
            "too few networks",
            changed {
                $0.inUserNamespace = .noNamespaces(.noSpace)
                $0.scarcity = NamespaceLimit.Setting(key: "user.max_net_namespaces", most: 2)
            }, debian
        ),
        (
            "a sandbox that lets nobody make a user namespace",
            changed { $0.inUserNamespace = .noUserNamespace(.noSpace) }, container
        ),
        (
            "a kernel without packet sockets, a tunnel device for root alone",
            changed {
                $0.inUserNamespace = .noPacketSocket(.addressFamilyNotSupported)
                $0.tunnelDevice = .forbidden
            }, debian
        ),
    ]

    @Test("What each kind of lack is told to do is in the golden file")
    func remedies() throws {
        let texts = Self.cases.map { name, found, host in
            "\(name), engine: \(found.servesEngine)\n"
                + Diagnosis.sandboxChecks(found, host).map { check in
                    "\(check.status.rawValue) \(check.name): \(check.detail)\n"
                        + (check.fix.map {
                            "    \($0.split(separator: "\n").joined(separator: "\n    "))\n"
                        } ?? "")
                }.joined()
        }
        try Golden("sandbox-diagnoses.txt").expect(texts.joined(separator: "\n"))
    }

    @Test func `what root may make as it is does not serve those who lack privileges`() {
        let found = Self.changed {
            $0.privilege = SandboxPrivilege(isRoot: true, missing: [.netRaw])
            $0.asItIs = .possible
            $0.inUserNamespace = .noProc(.notPermitted)
        }
        #expect(!found.servesEngine)
    }

    @Test("AppArmor's switch does not matter to a user whom it lets")
    func allowedByProfile() throws {
        let found = Self.changed { $0.doesAppArmorRestrict = true }
        let check = try #require(Diagnosis.sandboxChecks(found, Self.debian).first)
        #expect(check.status == .ok)
    }

    @Test("The package's profile helps only where it applies")
    func profileOfPackage() {
        let all = { (_: String) in true }
        #expect(
            SandboxFindings.appArmorProfile(of: "/usr/bin/linkcond", exists: all)
                == "/etc/apparmor.d/linkcond")
        #expect(
            SandboxFindings.appArmorProfile(of: "/usr/local/bin/linkcond") {
                $0.hasPrefix("/usr/local")
            }
                == "/usr/local/share/linkcond/apparmor/linkcond")
        #expect(SandboxFindings.appArmorProfile(of: "/home/a/.build/linkcond", exists: all) == nil)
        #expect(SandboxFindings.appArmorProfile(of: "/usr/bin/linkcond") { _ in false } == nil)
    }

    @Test("Every lack has a fix")
    func fixes() {
        for (name, found, host) in Self.cases {
            for check in Diagnosis.sandboxChecks(found, host) {
                #expect((check.status == .ok) == (check.fix == nil), "\(name): \(check)")
            }
        }
    }
}

@Suite("Findings of this host", .requiresNamespaces)
struct SandboxFindingsTests {
    @Test("The engine serves root on this host")
    func thisHost() {
        let found = SandboxFindings.current()
        #expect(found.asItIs == .possible)
        #expect(found.servesEngine)
        #expect(found.program.hasSuffix("xctest"))
    }
}
