import DataPlane
import LinuxKernel
import Netlink

/// Finds out whether systemd-networkd takes an interface of the packet engine for the one that it
/// conditions: both have the same MAC address, by which the kernel tells what is for this host.
public enum NetworkdWarning {
    private static let state = "/run/systemd/netif/links"
    private static let directories = ["/etc", "/run", "/usr/local/lib", "/usr/lib"]
        .map { $0 + "/systemd/network" }

    /// What to tell whoever has conditioned these interfaces of the host; nil if all is well.
    public static func remark(on names: [String]) -> String? {
        guard FileStatus(behind: state) != nil, let session = try? NetlinkSession(),
            let links = try? session.links()
        else { return nil }
        let files = directories.flatMap { directory in
            SmallFile.names(in: directory).filter { $0.hasSuffix(".network") }.map {
                (path: "\(directory)/\($0)", file: file("\(directory)/\($0)"))
            }
        }
        guard !files.contains(where: \.file.sparesOwnInterfaces) else { return nil }
        for link in links where names.contains(link.name) {
            let twin = links.first { $0.isOwn && $0.kind == "veth" && $0.address == link.address }
            let cause = files.first { $0.file.isForAll(withAddress: link.address) }
            guard let twin, let cause, !link.address.isEmpty else { continue }
            return "by \(cause.path) systemd-networkd configures \(twin.name) like \(link.name), "
                + "whose MAC address it has, and can cut this host off; forbid it: \(remedy)"
        }
        return nil
    }

    private static let remedy =
        #"printf '[Match]\nName=lcu* lcd*\n[Link]\nUnmanaged=yes\n' | "#
        + "sudo tee /etc/systemd/network/05-linkcond.network && sudo networkctl reload"

    private static func file(_ path: String) -> NetworkdFile {
        NetworkdFile(text: (try? SmallFile.read(path)) ?? "")
    }
}
