import FoundationEssentials

/// Reads the state files of container engines: no client is needed, and no daemon must run.
enum ContainerFiles {
    /// Docker's `containers/ID/config.v2.json`; nil if it is damaged.
    static func docker(_ json: Data) -> Container? {
        struct Config: Decodable {
            struct State: Decodable {
                let Running: Bool
                let Pid: Int32
            }
            let ID: String
            let Name: String?
            let State: State
        }
        guard let config = try? JSONDecoder().decode(Config.self, from: json) else { return nil }
        // Names begin with a slash for historical reasons: links had names below those of
        // containers.
        let name = config.Name.map { String($0.drop { $0 == "/" }) }
        return Container(
            id: config.ID, names: [name].compactMap { $0 }.filter { !$0.isEmpty },
            engine: .docker,
            process: config.State.Running && config.State.Pid > 0 ? config.State.Pid : nil)
    }

    /// `containers.json` of the storage that Podman and CRI-O share; it does not tell which engine
    /// owns a container. Empty if it is damaged.
    static func podman(_ json: Data) -> [Container] {
        struct Entry: Decodable {
            let id: String
            let names: [String]?
        }
        let entries = (try? JSONDecoder().decode([Entry].self, from: json)) ?? []
        return entries.map {
            Container(id: $0.id, names: $0.names ?? [], engine: .podman, process: nil)
        }
    }

    /// The names in the annotations of a containerd bundle's `config.json`, from nerdctl and
    /// Kubernetes.
    static func containerdNames(_ json: Data) -> [String] {
        struct Specification: Decodable {
            let annotations: [String: String]?
        }
        let annotations =
            (try? JSONDecoder().decode(Specification.self, from: json))?.annotations ?? [:]
        var names = [annotations["nerdctl/name"]].compactMap { $0 }
        let cri = "io.kubernetes.cri."
        if let pod = annotations["\(cri)sandbox-name"] {
            // A pod's containers share the network of its sandbox container.
            names += [annotations["\(cri)container-name"].map { "\(pod)/\($0)" } ?? pod]
        }
        if let container = annotations["\(cri)container-name"] { names.append(container) }
        return names.filter { !$0.isEmpty }
    }

    /// The ID in a file that contains only that, such as containerd's `init.pid`.
    static func process(_ text: String) -> Int32? {
        Int32(text.filter { !$0.isWhitespace }).flatMap { $0 > 0 ? $0 : nil }
    }

    /// The container IDs in the control groups of a process, given the text of `/proc/PID/cgroup`.
    ///
    /// Engines name groups `docker-ID.scope`, `libpod-ID.scope`, `cri-containerd-ID.scope` or just
    /// `ID`.
    static func containerIDs(inControlGroups text: String) -> [String] {
        var ids: [String] = []
        for line in text.split(separator: "\n") {
            let path = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard path.count == 3 else { continue }
            for part in path[2].split(whereSeparator: { "/.-:".contains($0) })
            where part.utf8.count == 64 && part.allSatisfy(\.isHexDigit) {
                if !ids.contains(String(part)) { ids.append(String(part)) }
            }
        }
        return ids
    }

    /// The data directory that Docker's `daemon.json` sets instead of `/var/lib/docker`.
    static func dockerDirectory(_ json: Data) -> String? {
        struct Settings: Decodable {
            let root: String?
            enum CodingKeys: String, CodingKey { case root = "data-root" }
        }
        return (try? JSONDecoder().decode(Settings.self, from: json))?.root
    }
}
