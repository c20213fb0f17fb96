import LinkModel
import LinuxKernel
import SystemPackage

/// A congestion control of TCP, by the kernel's name: `cubic`, `bbr`, `reno`.
public struct CongestionControl: Sendable, Hashable {
    /// Its name.
    public let name: String

    /// Names one; nil for what cannot be a name.
    public init?(_ name: String) {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "-_".utf8.contains(byte)
            }
        }
        // The kernel's limit, TCP_CA_NAME_MAX, counts a zero at the end.
        guard isPlain, (1...15).contains(name.utf8.count) else { return nil }
        self.name = name
    }

    private static let parameters = "net/ipv4/tcp_"

    /// Makes it that of new sockets in the calling thread's network namespace.
    func use() throws(SandboxError) {
        do {
            try KernelParameter(Self.parameters + "congestion_control").write(name)
        } catch {
            throw SandboxError(
                explanation(
                    of: error.errno, available: Self.names("available_congestion_control"),
                    allowed: Self.names("allowed_congestion_control")),
                status: .unavailable)
        }
    }

    /// Why the kernel refuses it, and what to do; kernels before 5.5 show no names here.
    func explanation(of reason: Errno, available: [String], allowed: [String]) -> String {
        let list = { (names: [String]) in
            names.isEmpty ? "" : " (have: \(names.joined(separator: ", ")))"
        }
        switch reason {
        case .noSuchFileOrDirectory:
            return "--tcp \(name): this kernel has no such congestion control\(list(available)); "
                + "if it has it as a module, load it with sudo modprobe tcp_\(name)"
        case .notPermitted:
            let wanted = (allowed.isEmpty ? ["..."] : allowed) + [name]
            return "--tcp \(name): this host keeps it to itself\(list(allowed)); allow it with "
                + "sudo sysctl -w net.ipv4.tcp_allowed_congestion_control='"
                + "\(wanted.joined(separator: " "))'"
        default:
            return "--tcp \(name): \(reason)"
        }
    }

    private static func names(_ parameter: String) -> [String] {
        let text = (try? KernelParameter(parameters + parameter).read()) ?? ""
        return text.split(separator: " ").map { String($0) }
    }
}
