import LinuxKernel

/// An interface of the far side whose packets an external program, pasta or slirp4netns, translates
/// to host sockets.
///
/// TCP and UDP still go through the relay, since these programs have small TCP windows; the helper
/// carries only ICMP. Needs no privileges except access to `/dev/net/tun`.
public final class HelperUplink: Sendable {
    /// The program.
    public enum Kind: String, Sendable, CaseIterable {
        case pasta
        case slirp4netns

        /// Its package, the same on Debian and Fedora.
        var package: String { self == .pasta ? "passt" : "slirp4netns" }
    }

    /// The interface's name.
    static let interface = "up0"
    private static let startLimit = Duration.seconds(10)

    private let program: GuardedProgram

    /// Makes the far side forward the helper's traffic, with the helper's interface as its source.
    ///
    /// Call this before `start`, in a thread with all privileges in the far side's namespace.
    public static func prepareFarSide(_ network: FarNetwork) throws(UplinkError) {
        do {
            // A router ignores router advertisements unless told otherwise, and slirp4netns sends
            // some.
            try? KernelParameter("net/ipv6/conf/default/accept_ra").write("2")
            if network.ipv6 != nil {
                try KernelParameter("net/ipv6/conf/all/forwarding").write("1")
            }
            try KernelParameter("net/ipv4/ip_forward").write("1")
        } catch {
            throw .system(attempt: "let the far side forward packets", error.errno)
        }
        try NFTables.load(forwardingRules)
    }

    /// The far side's rules: its other addresses do not go to the helper.
    static let forwardingRules = """
        table inet linkcond-forward {
            chain out {
                type nat hook postrouting priority srcnat; policy accept;
                oifname "\(interface)" masquerade
            }
        }

        """

    /// Starts the program and waits until the far side has its interface.
    ///
    /// Call this in a process in the host's namespaces that has forked all its children. The
    /// program ends with this object or with the process.
    ///
    /// - Parameters:
    ///   - networkNamespace: The path of the far side's, such as `/proc/PID/ns/net`.
    ///   - userNamespace: The path of the one that owns it; nil for root without a user namespace.
    public static func start(
        _ kind: Kind, networkNamespace: String, userNamespace: String?
    ) throws(UplinkError) -> HelperUplink {
        // As root, pasta switches to another user, who cannot enter the namespaces; some versions
        // hang.
        guard kind != .pasta || userNamespace != nil else { throw .pastaAsRoot }
        guard let path = HelperProgram.path(of: kind.rawValue) else {
            throw .missingProgram(kind.rawValue, package: kind.package)
        }
        let program: GuardedProgram
        do {
            program = try GuardedProgram(
                path,
                arguments(
                    kind, networkNamespace: networkNamespace, userNamespace: userNamespace),
                readyNumber: kind.readyNumber)
        } catch {
            throw .system(attempt: "start \(path)", error.errno)
        }
        guard program.isReady(within: startLimit) else {
            let message = program.message()
            throw .programFailed(
                kind.rawValue,
                message: message.isEmpty ? "it does not get ready" : Self.hint(message))
        }
        return HelperUplink(program)
    }

    private init(_ program: GuardedProgram) {
        self.program = program
    }

    private static func hint(_ message: String) -> String {
        message.contains("/dev/net/tun") || message.contains("tun device")
            ? message + "; allow it with: sudo chmod 666 /dev/net/tun, or use --uplink relay"
            : message
    }

    /// Ends the program and waits for it.
    public func stop() {
        program.stop()
    }

    static func arguments(
        _ kind: Kind, networkNamespace: String, userNamespace: String?
    ) -> [String] {
        switch kind {
        case .pasta:
            // In the background it would outlive everything. It forwards no ports.
            ["--config-net", "--quiet", "--foreground", "--ns-ifname", interface]
                + ["--mtu", "65520", "--pid", "/dev/stdout"]
                + ["-t", "none", "-u", "none", "-T", "none", "-U", "none"]
                + (userNamespace.map { ["--userns", $0] } ?? [])
                + ["--netns", networkNamespace]
        case .slirp4netns:
            ["--configure", "--mtu=65520", "--enable-ipv6", "--disable-host-loopback"]
                + ["--ready-fd=\(kind.readyNumber)", "--netns-type=path"]
                + (userNamespace.map { ["--userns-path=\($0)"] } ?? [])
                + [networkNamespace, interface]
        }
    }
}

extension HelperUplink.Kind {
    /// The file descriptor on which the program reports readiness: pasta writes its process ID to
    /// standard output, slirp4netns a `1` to one that we choose.
    var readyNumber: Int { self == .pasta ? 1 : 3 }
}
