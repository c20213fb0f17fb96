import FoundationEssentials
import LinkModel
import LinuxKernel

/// The running containers with a label, as the clients of their engines tell: only these know all
/// labels, and which engine has them where.
public struct LabelledContainers: Sendable, Hashable {
    /// `KEY`, or `KEY=VALUE`.
    public let label: String

    /// The clients that are asked, where they are installed.
    private static let clients = ["docker", "podman", "nerdctl"]
    private static let patience = Duration.seconds(30)

    /// Names a label.
    public init(_ label: String) throws(HostError) {
        let key = label.prefix { $0 != "=" }
        guard !key.isEmpty, key.first != "-",
            label.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f && $0 != UInt8(ascii: ",") })
        else {
            throw HostError(
                "--label \(label.isEmpty ? "\"\"" : label.debugDescription): is no label; write "
                    + "KEY or KEY=VALUE, as in role=web")
        }
        self.label = label
    }

    /// The IDs of the containers, one for each network.
    ///
    /// - Parameter environment: locates the files of an ordinary user's containers.
    /// - Returns: the IDs, and what went wrong with clients that cannot tell.
    public func find(
        environment: [String: String]
    ) throws(HostError) -> (ids: [String], remarks: [String]) {
        guard Privilege.mayMakeNamespaces else {
            throw HostError(
                "--label \(label): changing the networks of containers takes root; run it with sudo",
                status: .noPermission)
        }
        let programs = Self.clients.compactMap { HelperProgram.path(of: $0) }
        guard !programs.isEmpty else {
            throw HostError(
                "--label \(label): none of \(Self.clients.joined(separator: ", ")) is installed, which "
                    + "know the labels of containers; --container chooses one by its name",
                status: .unavailable)
        }
        var (found, remarks): ([String], [String]) = ([], [])
        for program in programs {
            do {
                found += try ids(program).filter { !found.contains($0) }
            } catch {
                remarks.append(error.description)
            }
        }
        guard !found.isEmpty else {
            // Somebody who cannot tell may have the containers.
            let doubt = remarks.isEmpty ? "" : " (\(remarks.joined(separator: "; ")))"
            throw HostError(
                "--label \(label): no running container has it\(doubt)",
                status: remarks.count == programs.count ? .unavailable : .usage)
        }
        return (Self.onePerNetwork(found, ContainerCatalog(environment: environment)), remarks)
    }

    /// Asks one client.
    private func ids(_ program: String) throws(HostError) -> [String] {
        let name = program.split(separator: "/").last.map(String.init) ?? program
        let result: HelperProgram.Result
        do {
            result = try HelperProgram.run(
                program, ["ps", "-q", "--no-trunc", "--filter", "label=\(label)"], input: "",
                patience: Self.patience)
        } catch {
            throw HostError("\(name) does not tell its containers: \(error)", status: .unavailable)
        }
        guard result.exitCode == 0 else {
            throw HostError(
                "\(name) does not tell its containers: \(result.message)", status: .unavailable)
        }
        return Self.ids(in: result.text)
    }

    /// Finds the IDs in what a client wrote, which may warn as well.
    static func ids(in text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map(String.init).filter {
            $0.utf8.count == 64 && $0.allSatisfy(\.isHexDigit)
        }
    }

    /// Leaves out containers that use another's network, as those of a pod.
    private static func onePerNetwork(_ ids: [String], _ catalog: ContainerCatalog) -> [String] {
        var networks: Set<UInt64> = []
        return ids.filter { id in
            guard let process = (try? catalog.container(id))?.process,
                let network = NetworkNamespace.inode(at: "/proc/\(process)/ns/net")
            else { return true }
            return networks.insert(network).inserted
        }
    }
}
