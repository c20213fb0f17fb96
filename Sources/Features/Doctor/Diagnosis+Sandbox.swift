import LinuxKernel
import SystemPackage

extension Diagnosis {
    /// The checks of a sandbox's needs: namespaces, packet sockets, and programs for its uplink.
    static func sandboxChecks(_ found: SandboxFindings, _ host: HostSystem) -> [Check] {
        [userNamespaces(found, host), packetSockets(found, host)]
            + SandboxFindings.helpers.map { program($0, found, host) } + [tunnelDevice(found, host)]
    }

    private static func program(
        _ helper: SandboxFindings.Helper, _ found: SandboxFindings, _ host: HostSystem
    ) -> Check {
        let name = helper.program
        guard found.programs.contains(name) else {
            return Check(
                name, .limited, "not in PATH: \(helper.purpose)",
                fix: host.installation(of: helper.package))
        }
        guard found.brokenPrograms.contains(name) else { return Check(name, .ok, helper.purpose) }
        return Check(
            name, .limited, "\(name) --version fails or hangs: \(helper.purpose)",
            fix: "Find out why: command -v \(name); \(name) --version")
    }

    private static func userNamespaces(_ found: SandboxFindings, _ host: HostSystem) -> Check {
        let name = "user namespaces"
        let status: Check.Status = found.servesEngine ? .limited : .missing
        if found.inUserNamespace.reason == .noSpace {
            return Check(
                name, status,
                (found.scarcity.map { "too few are allowed (\($0.text))" } ?? "no more are allowed")
                    + ": no sandbox without root",
                fix: found.scarcity.map { permanently("\($0.key)=15000") }
                    ?? "There" + NamespaceLimit.surroundings.dropFirst("there".count))
        }
        // Root has more privileges than others, so its own attempt proves nothing.
        if found.mayUsersMakeNamespaces == false {
            return Check(
                name, .limited, "only root may make them (kernel.unprivileged_userns_clone is 0)",
                fix: permanently("kernel.unprivileged_userns_clone=1"))
        }
        if found.doesAppArmorRestrict == true,
            found.privilege.isRoot || found.inUserNamespace != .possible
        {
            return Check(
                name, .limited,
                "AppArmor keeps users from using them "
                    + "(kernel.apparmor_restrict_unprivileged_userns is 1)",
                fix: appArmorProfile(found))
        }
        switch found.inUserNamespace {
        case .possible, .noPacketSocket:
            return Check(name, .ok, "a sandbox without root")
        case .noProc(let reason):
            return Check(
                name, status,
                "no /proc of their own, as where a part of it is hidden: \(reason): no sandbox "
                    + "without root",
                fix: remedy(found, host))
        case .noUserNamespace(let reason), .noNamespaces(let reason), .noInterface(let reason),
            .untried(let reason):
            return Check(
                name, status, "the kernel refused: \(reason): no sandbox without root",
                fix: remedy(found, host))
        }
    }

    /// What lets a caller make sandboxes to whom the kernel refuses it.
    private static func remedy(_ found: SandboxFindings, _ host: HostSystem) -> String {
        if found.privilege.isRoot, !found.privilege.isComplete {
            return privileges("linkcond run LTE -- COMMAND", found.privilege, host)
        }
        guard host.isContainer else { return "Run it as root: sudo linkcond run LTE -- COMMAND" }
        return "Start the container with \(SandboxPrivilege.optionsForUsers), or with "
            + "--privileged; for its root alone \(SandboxPrivilege.optionsOfContainer) will do"
    }

    /// How somebody without the privileges gets them for `command`.
    static func privileges(
        _ command: String, _ privilege: SandboxPrivilege, _ host: HostSystem
    ) -> String {
        guard privilege.isRoot else { return "Run it as root: sudo \(command)" }
        return host.isContainer
            ? "Start the container with \(SandboxPrivilege.optionsOfContainer), or with --privileged"
            : "Give root the privileges that it lacks here: \(privilege.names)"
    }

    private static func packetSockets(_ found: SandboxFindings, _ host: HostSystem) -> Check {
        let name = "packet sockets"
        if found.servesEngine {
            return Check(name, .ok, "the packet engine")
        }
        if case .noPacketSocket(let reason) = found.asInRun {
            return Check(
                name, .missing, "not in this kernel (CONFIG_PACKET): \(reason): no packet engine",
                fix: "Load it: sudo modprobe af_packet")
        }
        return Check(
            name, .limited, "not tried, for lack of a namespace: no packet engine",
            fix: found.privilege.isComplete
                ? remedy(found, host) : privileges("linkcond doctor", found.privilege, host))
    }

    private static func tunnelDevice(_ found: SandboxFindings, _ host: HostSystem) -> Check {
        let name = "/dev/net/tun"
        return switch found.tunnelDevice {
        case .usable:
            Check(name, .ok, "what pasta and slirp4netns need")
        case .forbidden:
            Check(
                name, .limited, "may not be opened: pasta and slirp4netns do not work",
                fix: "Only --uplink pasta and slirp take it; let your user have it with: sudo "
                    + "setfacl -m u:$USER:rw /dev/net/tun")
        case .missing:
            Check(
                name, .limited, "not there: pasta and slirp4netns do not work",
                fix: host.isContainer
                    ? "Start the container with --device /dev/net/tun"
                    : "Load the module: sudo modprobe tun")
        }
    }

    private static func permanently(_ setting: String) -> String {
        "Allow them, now and after the next boot: echo \(setting) "
            + "| sudo tee /etc/sysctl.d/60-linkcond.conf && sudo sysctl --system"
    }

    /// Ubuntu's method: an AppArmor profile that lets one program do what is denied to others.
    private static func appArmorProfile(_ found: SandboxFindings) -> String {
        let active = SandboxFindings.appArmorProfiles[0]
        if let file = found.appArmorProfile {
            let copy = file == active ? "" : "sudo install -m 644 \(file) \(active) && "
            return
                "Load linkcond's AppArmor profile: \(copy)sudo apparmor_parser --replace \(active)"
        }
        // Under a name of its own: a package may come, which owns the other one.
        return #"""
            Install linkcond's package, which has an AppArmor profile for it, or let this copy make \#
            namespaces: printf 'abi <abi/4.0>,\ninclude <tunables/global>\n\#
            profile linkcond-built "\#(found.program)" flags=(unconfined) {\n  userns,\n}\n' \#
            | sudo tee /etc/apparmor.d/linkcond-built \#
            && sudo apparmor_parser --replace /etc/apparmor.d/linkcond-built
            """#
    }
}

extension HostSystem {
    /// How to install a package.
    func installation(of package: String) -> String {
        if distributionIDs.contains("debian") || distributionIDs.contains("ubuntu") {
            return "Install it: sudo apt install \(package)"
        }
        if !Set(distributionIDs).isDisjoint(with: ["fedora", "rhel", "centos"]) {
            return "Install it: sudo dnf install \(package)"
        }
        if distributionIDs.contains("arch") { return "Install it: sudo pacman -S \(package)" }
        return "Install the package \(package)"
    }
}
