import LinuxKernel

/// An interface of the far side whose packets another program, pasta or slirp4netns, translates
/// into sockets of the host.
///
/// TCP and UDP go through the relay all the same, since these programs have small TCP windows of
/// their own; what remains for them is ICMP. Needs no privilege, but access to `/dev/net/tun`.
public final class HelperUplink: Sendable {
    /// Which program.
    public enum Kind: String, Sendable, CaseIterable {
        case pasta
        case slirp4netns

        /// The package that has it, on Debian as on Fedora.
        var package: String { self == .pasta ? "passt" : "slirp4netns" }
    }

    /// The interface's name.
    static let interface = "up0"
    private static let startLimit = Duration.seconds(10)

    private let program: GuardedProgram

    /// Lets the far side forward what the helper carries, in the name of the helper's interface.
    ///
    /// For a thread in the far side's namespace that may do everything there, before `start`.
    public static func prepareFarSide(_ network: FarNetwork) throws(UplinkError) {
        do {
            // A router takes no advertisements unless told to, and slirp4netns sends some.
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

    /// The far side's rules: its other addresses are not the helper's business.
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
    /// For a process in the host's namespaces that has forked all its children. The program ends
    /// with this object, or with the process.
    ///
    /// - Parameters:
    ///   - networkNamespace: the path of the far side's, such as `/proc/PID/ns/net`.
    ///   - userNamespace: the path of the one that owns it; nil for root without a user namespace.
    public static func start(
        _ kind: Kind, networkNamespace: String, userNamespace: String?
    ) throws(UplinkError) -> HelperUplink {
        // As root it wants to become another user, who may not enter the namespaces; some
        // versions hang.
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

    /// Ends the program and waits until it is gone.
    public func stop() {
        program.stop()
    }

    static func arguments(
        _ kind: Kind, networkNamespace: String, userNamespace: String?
    ) -> [String] {
        switch kind {
        case .pasta:
            // Into the background it would outlive everything. Ports are none of its business.
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
    /// The descriptor by which the program says that it is ready: pasta writes its process
    /// number to standard output, slirp4netns a `1` to one of our choice.
    var readyNumber: Int32 { self == .pasta ? 1 : 3 }
}
