import FoundationEssentials
import LinuxKernel

/// The containers of this machine, found in their engines' files and in the control groups of
/// processes.
struct ContainerCatalog {
    /// The root of the file tree to search.
    var root = ""
    /// The variables that locate an ordinary user's files (`HOME`, `XDG_DATA_HOME`,
    /// `XDG_RUNTIME_DIR`).
    var environment: [String: String] = [:]

    /// The running processes.
    var processes = ProcessTable()

    /// All containers in the files, each once.
    func containers() -> [Container] {
        var found: [Container] = []
        for container in docker() + podman() + containerd() {
            // Containers of Docker and Kubernetes are containerd's as well.
            if let known = found.firstIndex(where: { $0.id == container.id }) {
                found[known].process = found[known].process ?? container.process
                found[known].names += container.names.filter { !found[known].names.contains($0) }
            } else {
                found.append(container)
            }
        }
        return found.map { container in
            var container = container
            if let process = container.process, !isAlive(process, in: container) {
                container.process = nil
            }
            return container
        }
    }

    /// The container for `text`: a name, an ID or the beginning of an ID.
    func container(_ text: String) throws(TargetError) -> Container {
        let all = containers()
        var found = all.filter { $0.names.contains(text) || $0.id == text }
        if found.isEmpty, Self.isBeginningOfID(text) {
            found = all.filter { $0.id.hasPrefix(text.lowercased()) }
            if found.isEmpty { found = inControlGroups(text.lowercased()) }
        }
        let running = found.filter { $0.process != nil }
        if running.count == 1 || found.count == 1 { return (running.first ?? found[0]) }
        guard found.isEmpty else { throw .ambiguousContainer(text, candidates: found) }
        if let hidden = hiddenDirectory {
            throw .missingPrivilege("--container \(text) (\(hidden))")
        }
        throw .noSuchContainer(
            text,
            known: all.filter { $0.process != nil }.map { $0.names.first ?? "\($0.id.prefix(12))" })
    }

    /// Containers of engines with files elsewhere, found by their processes.
    private func inControlGroups(_ beginning: String) -> [Container] {
        var first: [String: Int32] = [:]
        for process in processes.all() {
            for id in controlGroups(of: process) ?? [] where id.hasPrefix(beginning) {
                first[id] = min(first[id] ?? process, process)
            }
        }
        return first.map { Container(id: $0, names: [], engine: .other, process: $1) }
            .sorted { $0.id < $1.id }
    }

    /// Whether a process named in a file still belongs to the container: the file may be older than
    /// the last boot.
    private func isAlive(_ process: Int32, in container: Container) -> Bool {
        guard let ids = controlGroups(of: process) else { return false }
        // A process outside all containers' control groups cannot be checked.
        return ids.isEmpty || ids.contains(container.id)
    }

    private func controlGroups(of process: Int32) -> [String]? {
        processes.controlGroups(process).map(ContainerFiles.containerIDs)
    }

    private static func isBeginningOfID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.allSatisfy(\.isHexDigit)
    }

    /// A directory of containers that the caller cannot read.
    private var hiddenDirectory: String? {
        (dockerDirectories.map { $0 + "/containers" } + taskDirectories + storages).first { path in
            FileManager.default.fileExists(atPath: root + path)
                && !FileManager.default.isReadableFile(atPath: root + path)
        }
    }
}

/// Access to the process list.
struct ProcessTable {
    /// The IDs of all processes.
    var all = NetworkNamespace.processes
    /// The control groups of a process as text, empty if there are none; nil if the process does
    /// not exist.
    var controlGroups = { (process: Int32) -> String? in
        let directory = "/proc/\(process)"
        guard FileManager.default.fileExists(atPath: directory) else { return nil }
        return (try? SmallFile.read("\(directory)/cgroup")) ?? ""
    }
}

// MARK: - Locations of the engines' files

extension ContainerCatalog {
    private var home: String? { environment["HOME"] }

    private var dockerDirectories: [String] {
        let settings = FileManager.default.contents(atPath: root + "/etc/docker/daemon.json")
        let chosen = settings.flatMap(ContainerFiles.dockerDirectory)
        // A daemon with user namespaces has another directory level, named by user and group.
        let plain =
            [chosen, "/var/lib/docker", "/var/snap/docker/common/var-lib-docker"]
            .compactMap { $0 } + homes.map { $0 + "/.local/share/docker" }
        return plain.flatMap { directory in
            [directory]
                + names(in: directory).filter { name in
                    name.contains(".") && name.allSatisfy { $0.isNumber || $0 == "." }
                }.map { "\(directory)/\($0)" }
        }
    }

    /// The home directories of users who may run their own containers.
    private var homes: [String] {
        let all = ["/root"] + names(in: "/home").map { "/home/\($0)" }
        let callers = InvokingUser.behindSudo(environment: environment)?.variables["HOME"]
        return all + [home, callers].compactMap { $0 }.filter { !all.contains($0) }
    }

    private func docker() -> [Container] {
        dockerDirectories.flatMap { directory in
            names(in: "\(directory)/containers").compactMap { id in
                contents("\(directory)/containers/\(id)/config.v2.json")
                    .flatMap(ContainerFiles.docker)
            }
        }
    }

    /// The storage directories of Podman and CRI-O.
    private var storages: [String] {
        ["/var/lib/containers/storage"]
            + [environment["XDG_DATA_HOME"]].compactMap { $0.map { $0 + "/containers/storage" } }
            + homes.map { $0 + "/.local/share/containers/storage" }
    }

    /// The storages' state directories, valid until the next boot.
    private var runningStorages: [String] {
        ["/run/containers/storage"]
            + [environment["XDG_RUNTIME_DIR"]].compactMap { $0.map { $0 + "/containers" } }
            + names(in: "/run/user").map { "/run/user/\($0)/containers" }
    }

    private func podman() -> [Container] {
        var found: [Container] = []
        for storage in storages {
            for driver in names(in: storage) where driver.hasSuffix("-containers") {
                let files = ["containers.json", "volatile-containers.json"].compactMap {
                    contents("\(storage)/\(driver)/\($0)")
                }
                for var container in files.flatMap(ContainerFiles.podman) {
                    let pidfiles = runningStorages.map {
                        "\($0)/\(driver)/\(container.id)/userdata/pidfile"
                    }
                    container.process = pidfiles.lazy.compactMap(process).first
                    found.append(container)
                }
            }
        }
        return found
    }

    /// The task directories of all of containerd's namespaces.
    private var taskDirectories: [String] {
        ["/run/containerd", "/run/k3s/containerd", "/var/snap/microk8s/common/run/containerd"]
            .map { $0 + "/io.containerd.runtime.v2.task" }
    }

    private func containerd() -> [Container] {
        taskDirectories.flatMap { directory in
            names(in: directory).flatMap { namespace in
                names(in: "\(directory)/\(namespace)").compactMap { id -> Container? in
                    let bundle = "\(directory)/\(namespace)/\(id)"
                    guard let process = process("\(bundle)/init.pid") else { return nil }
                    let names = contents("\(bundle)/config.json")
                        .map(ContainerFiles.containerdNames)
                    return Container(
                        id: id, names: names ?? [], engine: .containerd, process: process)
                }
            }
        }
    }

    private func process(_ path: String) -> Int32? {
        contents(path).flatMap { ContainerFiles.process(String(decoding: $0, as: UTF8.self)) }
    }

    private func contents(_ path: String) -> Data? {
        FileManager.default.contents(atPath: root + path)
    }

    private func names(in directory: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: root + directory)) ?? []).sorted()
    }
}
