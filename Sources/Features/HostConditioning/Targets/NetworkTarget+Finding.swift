import FoundationEssentials
import LinuxKernel
import SystemPackage

extension NetworkTarget {
    /// Moves the calling thread to the target's network namespace and describes it.
    ///
    /// Requires `CAP_SYS_ADMIN`, or the user that owns the sandbox. `environment` locates the files
    /// of an ordinary user's containers.
    public func enter(environment: [String: String]) throws(TargetError) -> FoundNetwork {
        try enter(ContainerCatalog(environment: environment))
    }

    /// The names of the running containers that `environment` leads to; IDs for those without a name.
    public static func containerNames(environment: [String: String]) -> [String] {
        containerNames(ContainerCatalog(environment: environment))
    }

    static func containerNames(_ catalog: ContainerCatalog) -> [String] {
        catalog.containers().filter { $0.process != nil }
            .flatMap { $0.names.isEmpty ? [String($0.id.prefix(12))] : $0.names }
    }

    func enter(_ catalog: ContainerCatalog) throws(TargetError) -> FoundNetwork {
        let network = try find(catalog)
        do {
            let namespace = try NetworkNamespace.open(network.path)
            defer { try? namespace.close() }
            do {
                try NetworkNamespace.enter(namespace)
            } catch  where error.errno == .notPermitted {
                try enterUserNamespace()
                try NetworkNamespace.enter(namespace)
            }
        } catch {
            throw explain(error.errno)
        }
        return network
    }

    /// An ordinary user can enter its own sandbox's or container's network namespace from the user
    /// namespace that owns it.
    private func enterUserNamespace() throws(KernelError) {
        guard case .process(let process) = self else {
            throw KernelError(.enter, subject: option, errno: .notPermitted)
        }
        try Namespaces.enterUser(of: process)
    }

    /// Finds the network namespace.
    private func find(_ catalog: ContainerCatalog) throws(TargetError) -> FoundNetwork {
        switch self {
        case .namespace(let name):
            return FoundNetwork(
                path: try Self.path(named: name), label: "network namespace \(name)")
        case .process(let process):
            return FoundNetwork(
                path: "/proc/\(process)/ns/net", label: "network namespace of process \(process)")
        case .container(let name):
            let container = try catalog.container(name)
            guard let process = container.process else { throw .stoppedContainer(container) }
            let path = "/proc/\(process)/ns/net"
            if let inode = NetworkNamespace.inode(at: path),
                inode == (try? NetworkNamespace.currentInode())
            {
                throw .sharedNetwork(container)
            }
            return FoundNetwork(path: path, label: "network of container \(container.label)")
        }
    }

    private static let namedNamespaces = "/run/netns"

    /// The file of a namespace given by name or path.
    private static func path(named name: String) throws(TargetError) -> String {
        let path = name.contains("/") ? name : "\(namedNamespaces)/\(name)"
        let isName = !["", ".", ".."].contains(name)
        guard isName, FileManager.default.fileExists(atPath: path) else {
            let known = try? FileManager.default.contentsOfDirectory(atPath: namedNamespaces)
            throw .noSuchNamespace(name, known: (known ?? []).sorted())
        }
        return path
    }

    private func explain(_ errno: Errno) -> TargetError {
        switch (self, errno) {
        case (_, .permissionDenied), (_, .notPermitted): .missingPrivilege(option)
        case (.process(let process), .noSuchFileOrDirectory),
            (.process(let process), .noSuchProcess):
            .noSuchProcess(process)
        // Not a namespace, or one of another type.
        case (.namespace(let name), .invalidArgument), (.namespace(let name), .isDirectory):
            .notANamespace(name)
        default: .unreadable(option, reason: "\(errno)")
        }
    }

    /// The target as a command-line option.
    private var option: String {
        switch self {
        case .namespace(let name): "--netns \(name)"
        case .process(let process): "--pid \(process)"
        case .container(let name): "--container \(name)"
        }
    }
}
