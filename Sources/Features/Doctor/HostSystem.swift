import FoundationEssentials
import LinuxKernel

/// The operating system, as far as it determines how to install a missing kernel module.
struct HostSystem: Sendable, Hashable {
    /// The kernel's release, as `uname -r` prints it.
    var kernelRelease: String
    /// The distribution's display name.
    var distributionName: String
    /// The `ID` and `ID_LIKE` words of `/etc/os-release`.
    var distributionIDs: [String]
    /// Whether it runs in a container, whose kernel belongs to the host.
    var isContainer: Bool
    /// Whether only other kernels' modules are installed, as between an update and the reboot after it.
    var awaitsReboot = false

    /// Whether it is the Windows Subsystem for Linux.
    var isWSL: Bool { kernelRelease.lowercased().contains("microsoft") }

    /// Reads the current system's properties.
    static func current() -> HostSystem {
        let osRelease = parse(osRelease: text("/etc/os-release"))
        let kernelRelease = text("/proc/sys/kernel/osrelease").filter { !$0.isNewline }
        return HostSystem(
            kernelRelease: kernelRelease,
            distributionName: osRelease["PRETTY_NAME"] ?? "Linux",
            distributionIDs: [osRelease["ID"], osRelease["ID_LIKE"]].compactMap { $0 }
                .flatMap { $0.split(separator: " ").map(String.init) },
            isContainer: isContainer(processes: SmallFile.target(ofLink: "/proc/self/ns/pid")) {
                FileManager.default.fileExists(atPath: $0)
            },
            awaitsReboot: awaitsReboot(kernelRelease, root: ""))
    }

    /// - Parameter processes: the namespace of processes, as the kernel names it.
    static func isContainer(processes: String?, exists: (String) -> Bool) -> Bool {
        // Docker's file, and Podman's. Others leave none, but the host's namespace has a fixed number.
        ["/.dockerenv", "/run/.containerenv"].contains(where: exists)
            || processes ?? hostsProcesses != hostsProcesses
    }

    /// `PROC_PID_INIT_INO` of the kernel.
    private static let hostsProcesses = "pid:[\(0xEFFF_FFFC)]"

    /// - Parameter root: the path, without a slash at its end, of what has `lib/modules` and `proc`.
    static func awaitsReboot(_ kernelRelease: String, root: String) -> Bool {
        let files = FileManager.default
        let installed = (try? files.contentsOfDirectory(atPath: root + "/lib/modules")) ?? []
        // A kernel without loadable modules was not installed with these.
        return files.fileExists(atPath: root + "/proc/modules") && !installed.isEmpty
            && !installed.contains(kernelRelease)
    }

    /// The assignments of an os-release file, unquoted.
    static func parse(osRelease: String) -> [String: String] {
        var values: [String: String] = [:]
        for line in osRelease.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            values[String(parts[0])] = parts[1].filter { $0 != "\"" && $0 != "'" }
        }
        return values
    }

    private static func text(_ path: String) -> String {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// How to get modules for this kernel: the steps for this system, or for all systems if it is
    /// unknown.
    var remedy: String {
        if isWSL { return Self.wsl }
        if isContainer { return Self.container }
        if awaitsReboot {
            return "The running kernel's modules are no longer installed (/lib/modules has none "
                + "for \(kernelRelease)), as after an update; start the new kernel: sudo reboot"
        }
        if distributionIDs.contains("ubuntu") { return Self.ubuntu }
        if distributionIDs.contains("debian") { return Self.debian }
        if !Set(distributionIDs).isDisjoint(with: ["fedora", "rhel", "centos"]) {
            return Self.fedora
        }
        return [Self.debian, Self.ubuntu, Self.fedora, Self.wsl, Self.container]
            .joined(separator: "\n")
    }

    private static let debian = """
        On Debian, boot a kernel of the distribution, which has the modules: \
        sudo apt install linux-image-$(dpkg --print-architecture) && sudo reboot
        """
    private static let ubuntu = """
        On Ubuntu, install the rest of the kernel's modules: \
        sudo apt install linux-modules-extra-$(uname -r)
        """
    private static let fedora = """
        On Fedora, install the rest of the kernel's modules: \
        sudo dnf install kernel-modules-extra-$(uname -r) && sudo modprobe sch_netem
        """
    private static let wsl = """
        In WSL, get a kernel that has the modules, in PowerShell: \
        wsl --update; wsl --shutdown (if it still lacks them, build one with \
        CONFIG_NET_SCH_NETEM=y and name it in .wslconfig under [wsl2] kernel=)
        """
    private static let container = """
        In a container the kernel is the host's; load the modules there: \
        sudo modprobe -a sch_netem ifb sch_ingress cls_u32 act_mirred sch_tbf \
        (and start the container with --cap-add NET_ADMIN)
        """
}
