public import DataPlane
import KernelPlane
public import LinkModel
import LinuxKernel

/// What a host supports, and how to add what is missing.
public struct Diagnosis: Sendable, Hashable {
    /// One thing that was checked.
    public struct Check: Sendable, Hashable, Encodable {
        /// The result of a check.
        public enum Status: String, Sendable, Hashable, Encodable {
            case ok, missing, limited
        }

        /// What was checked.
        public let name: String
        /// The result.
        public let status: Status
        /// The finding.
        public let detail: String
        /// How to fix it; nil if nothing needs fixing.
        @OrNull public internal(set) var fix: String?

        init(_ name: String, _ status: Status, _ detail: String, fix: String? = nil) {
            (self.name, self.status, self.detail) = (name, status, detail)
            self.fix = fix
        }
    }

    /// All checks.
    public internal(set) var checks: [Check]
    /// Whether the kernel data plane supports ordinary profiles here.
    public let servesKernelPlane: Bool
    /// Whether the packet engine can run here in its own namespaces.
    public let servesEnginePlane: Bool
    /// Whether the packet engine can condition interfaces of the host.
    public internal(set) var servesInterfacesByEngine = false
    /// The data plane that an ordinary profile gets here, and why; nil if only root can tell.
    public internal(set) var choice: PlaneChoice?
    /// Whether the kernel's support for `apply` could be checked, which takes root.
    public internal(set) var isOfRoot = true
    /// Whether it was root who asked.
    public internal(set) var isAskedByRoot = true
    /// Whether who asked may change interfaces.
    public internal(set) var mayChangeNetwork = true

    /// Makes a diagnosis from findings. Pure.
    static func make(
        answers: [KernelFeature: FeatureAnswer]?, mayChangeNetwork: Bool, host: HostSystem,
        sandbox: SandboxFindings
    ) -> Diagnosis {
        var checks = [
            kernelVersion(host), privilege(mayChangeNetwork, sandbox.privilege, host),
        ]
        guard let answers else {
            checks.append(
                Check(
                    "kernel features", .limited,
                    needOfNamespace, fix: privileges("linkcond doctor", sandbox.privilege, host)))
            return Diagnosis(
                checks: checks + sandboxChecks(sandbox, host), servesKernelPlane: false,
                servesEnginePlane: sandbox.servesEngine, isOfRoot: false,
                isAskedByRoot: sandbox.privilege.isRoot, mayChangeNetwork: mayChangeNetwork)
        }
        checks += KernelFeature.allCases.map { feature in
            check(feature, answers[feature] ?? .missing, host)
        }
        let isComplete = KernelFeature.allCases.allSatisfy {
            !$0.isEssential || answers[$0] == .present
        }
        return Diagnosis(
            checks: checks + sandboxChecks(sandbox, host),
            servesKernelPlane: isComplete && mayChangeNetwork,
            servesEnginePlane: sandbox.servesEngine)
    }

    /// Examines this host.
    public static func ofThisHost() -> Diagnosis {
        let host = HostSystem.current()
        let sandbox = SandboxFindings.current()
        var diagnosis = make(
            answers: try? FeatureProbe.run(), mayChangeNetwork: Privilege.mayChangeNetwork,
            host: host, sandbox: sandbox)
        diagnosis.checks += processorChecks(.current(), host)
        diagnosis.addChoice()
        diagnosis.addEngineOnInterfaces(
            otherwise: privileges("linkcond doctor", sandbox.privilege, host))
        diagnosis.addBus()
        diagnosis.addMultipath()
        return diagnosis
    }

    private static func kernelVersion(_ host: HostSystem) -> Check {
        Check(
            "system", .ok,
            "\(host.distributionName), kernel \(host.kernelRelease)"
                + (host.isContainer ? ", in a container" : "") + (host.isWSL ? ", in WSL" : ""))
    }

    private static func privilege(
        _ mayChangeNetwork: Bool, _ caller: SandboxPrivilege, _ host: HostSystem
    ) -> Check {
        mayChangeNetwork
            ? Check("privilege", .ok, "may change interfaces (CAP_NET_ADMIN)")
            : Check(
                "privilege", .limited, "may not change interfaces (no CAP_NET_ADMIN)",
                fix: caller.isRoot
                    ? privileges("linkcond apply LTE", caller, host)
                    : "Run apply and clear as root: sudo linkcond apply LTE")
    }

    private static func check(
        _ feature: KernelFeature, _ answer: FeatureAnswer, _ host: HostSystem
    ) -> Check {
        switch answer {
        case .present:
            Check(feature.rawValue, .ok, feature.purpose)
        case .missing:
            Check(
                feature.rawValue, feature.isEssential ? .missing : .limited,
                (host.awaitsReboot ? "not loaded" : "not in this kernel")
                    + " (\(feature.configurationOption)): no \(feature.purpose)",
                fix: host.remedy)
        case .unclear(let text):
            Check(
                feature.rawValue, .limited, "the kernel refused to try it: \(text)",
                fix: "Run it as root outside of a container: sudo linkcond doctor")
        }
    }

    /// Why somebody without privileges learns little.
    static let needOfNamespace =
        "asking the kernel requires the right to change a network namespace of its own"
}
