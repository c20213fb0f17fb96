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

    /// A client, and the user whose containers it is asked for; nil: the caller.
    private struct Client {
        let path: String
        var user: InvokingUser?

        var name: String {
            let file = path.split(separator: "/").last.map(String.init) ?? path
            return user?.variables["USER"].map { "\(file) of \($0)" } ?? file
        }
    }

    /// The IDs of the containers, one for each network.
    ///
    /// Under sudo these are the containers of root and of the user who has called it. Nobody else's
    /// client is started: it would get to see root's variables.
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
        let user = InvokingUser.behindSudo(environment: environment)
        let clients = Self.clients.compactMap { name -> Client? in
            HelperProgram.path(of: name).map { Client(path: $0) }
        }
        guard !clients.isEmpty else {
            throw HostError(
                "--label \(label): none of \(Self.clients.joined(separator: ", ")) is installed, which "
                    + "know the labels of containers; --container chooses one by its name",
                status: .unavailable)
        }
        let catalog = ContainerCatalog(environment: environment)
        var (found, remarks): ([String], [String]) = ([], [])
        let all = clients + Self.rootless(of: user)
        for client in all {
            do {
                let ids = try ids(client).filter { !found.contains($0) }
                found += try Self.checked(ids, client, catalog)
            } catch {
                remarks.append(error.description)
            }
        }
        guard !found.isEmpty else {
            // Somebody who cannot tell may have the containers.
            let doubts =
                remarks
                + (user == nil
                    ? ["an ordinary user's containers are found if that user calls sudo"] : [])
            let doubt = doubts.isEmpty ? "" : " (\(doubts.joined(separator: "; ")))"
            throw HostError(
                "--label \(label): no running container has it\(doubt)",
                status: remarks.count == all.count ? .unavailable : .usage)
        }
        return (Self.onePerNetwork(found, catalog), remarks)
    }

    /// The client of the user's own containers, if there may be any: it would make its directories.
    private static func rootless(of user: InvokingUser?) -> [Client] {
        guard let user, user.identity.isMapped, let home = user.variables["HOME"],
            FileManager.default.fileExists(atPath: home + "/.local/share/containers/storage"),
            let path = HelperProgram.path(of: "podman")
        else { return [] }
        return [Client(path: path, user: user)]
    }

    /// Leaves out nothing of root's client; of a user's, whatever that user has not made, since it
    /// could name the containers of others.
    private static func checked(
        _ ids: [String], _ client: Client, _ catalog: ContainerCatalog
    ) throws(HostError) -> [String] {
        guard let user = client.user else { return ids }
        for id in ids {
            guard let process = (try? catalog.container(id))?.process,
                Namespaces.maker(ofUserNamespaceOf: process) == user.identity.user
            else {
                throw HostError(
                    "\(client.name) names container \(id.prefix(12)), which is not that user's",
                    status: .unavailable)
            }
        }
        return ids
    }

    /// Asks one client.
    private func ids(_ client: Client) throws(HostError) -> [String] {
        let name = client.name
        var variables: [String: String] = [:]
        if let user = client.user {
            let directory = "/run/user/\(user.identity.user)"
            // Root's own would not be the user's; empty is as none.
            let isThere = FileManager.default.fileExists(atPath: directory)
            variables = user.variables.merging(
                ["XDG_RUNTIME_DIR": isThere ? directory : ""]) { $1 }
        }
        let result: HelperProgram.Result
        do {
            result = try HelperProgram.run(
                client.path, ["ps", "-q", "--no-trunc", "--filter", "label=\(label)"], input: "",
                patience: Self.patience, as: client.user?.identity, variables: variables)
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
