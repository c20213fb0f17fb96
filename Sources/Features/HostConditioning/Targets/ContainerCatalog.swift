import FoundationEssentials
import LinuxKernel

/// The containers of this machine, found in the files of their engines and in the control groups
/// of processes.
struct ContainerCatalog {
    /// The root of the file tree in which files are looked for.
    var root = ""
    /// Where an ordinary user's files are (`HOME`, `XDG_DATA_HOME`, `XDG_RUNTIME_DIR`).
    var environment: [String: String] = [:]

    /// The processes that there are.
    var processes = ProcessTable()

    /// All containers that the files tell of, each once.
    func containers() -> [Container] {
        var found: [Container] = []
        for container in docker() + podman() + containerd() {
            // Docker's and Kubernetes' containers are containerd's as well.
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

    /// The container that `text` names: by a name, an ID or the beginning of an ID.
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

    /// Containers of engines whose files are elsewhere, by what their processes tell.
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

    /// Whether a process that a file names is still that of the container: the file may be from
    /// before the machine started.
    private func isAlive(_ process: Int32, in container: Container) -> Bool {
        guard let ids = controlGroups(of: process) else { return false }
        // Of one outside of all containers' groups nothing is known.
        return ids.isEmpty || ids.contains(container.id)
    }

    private func controlGroups(of process: Int32) -> [String]? {
        processes.controlGroups(process).map(ContainerFiles.containerIDs)
    }

    private static func isBeginningOfID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.allSatisfy(\.isHexDigit)
    }

    /// A directory of containers that the caller may not read.
    private var hiddenDirectory: String? {
        (dockerDirectories.map { $0 + "/containers" } + taskDirectories + storages).first { path in
            FileManager.default.fileExists(atPath: root + path)
                && !FileManager.default.isReadableFile(atPath: root + path)
        }
    }
}

/// What is asked of processes.
struct ProcessTable {
    /// The IDs of all.
    var all = NetworkNamespace.processes
    /// The text that tells the control groups of one, empty where there are none; nil if there is
    /// no such process.
    var controlGroups = { (process: Int32) -> String? in
        let directory = "/proc/\(process)"
        guard FileManager.default.fileExists(atPath: directory) else { return nil }
        return (try? SmallFile.read("\(directory)/cgroup")) ?? ""
    }
}

// MARK: - Where the engines have their files

extension ContainerCatalog {
    private var home: String? { environment["HOME"] }

    private var dockerDirectories: [String] {
        let settings = FileManager.default.contents(atPath: root + "/etc/docker/daemon.json")
        let chosen = settings.flatMap(ContainerFiles.dockerDirectory)
        // A daemon with user namespaces has one more level, named by user and group.
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

    /// The homes of users who may run containers of their own.
    private var homes: [String] {
        let all = ["/root"] + names(in: "/home").map { "/home/\($0)" }
        return all + [home].compactMap { $0 }.filter { !all.contains($0) }
    }

    private func docker() -> [Container] {
        dockerDirectories.flatMap { directory in
            names(in: "\(directory)/containers").compactMap { id in
                contents("\(directory)/containers/\(id)/config.v2.json")
                    .flatMap(ContainerFiles.docker)
            }
        }
    }

    /// The storages of Podman and CRI-O.
    private var storages: [String] {
        ["/var/lib/containers/storage"]
            + [environment["XDG_DATA_HOME"]].compactMap { $0.map { $0 + "/containers/storage" } }
            + homes.map { $0 + "/.local/share/containers/storage" }
    }

    /// Where the storages keep what lasts until the next start of the machine.
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

    /// Where containerd has the tasks of all its namespaces.
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
