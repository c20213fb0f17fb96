import Foundation
import LinkTesting
import Testing

@testable import HostConditioning

@Suite("Containers by name and ID", .tags(.unit))
struct ContainerCatalogTests {
    private typealias Samples = ContainerSamples

    /// Runs `body` with a catalogue over a tree of these files, in which the processes of these
    /// control groups live.
    private func with(
        _ files: [String: String], processes: [Int32: String] = [4711: ""],
        _ body: (ContainerCatalog) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            for (path, text) in files { try directory.write(text, to: path) }
            var catalog = ContainerCatalog(
                root: directory.path,
                environment: ["HOME": "/home/ann", "XDG_RUNTIME_DIR": "/run/user/1000"])
            catalog.processes = ProcessTable(
                all: { Array(processes.keys) }, controlGroups: { processes[$0] })
            try body(catalog)
        }
    }

    private static func dockerFile(_ id: String = Samples.webID) -> String {
        "/var/lib/docker/containers/\(id)/config.v2.json"
    }

    private static let tasks = "/run/containerd/io.containerd.runtime.v2.task"

    @Test("Docker's containers are found by name, ID and the beginning of an ID")
    func docker() async throws {
        try await with([Self.dockerFile(): Samples.docker()]) { catalog in
            for text in ["web", Samples.webID, "4c01", "4C01DB"] {
                try #require(try catalog.find(text).process == 4711)
            }
        }
    }

    @Test(
        "Docker's files are found where its settings, its users and its namespaces of users have them",
        arguments: [
            "/srv/docker", "/var/lib/docker/100000.100000", "/home/ann/.local/share/docker",
        ])
    func dockerElsewhere(directory: String) async throws {
        let files = [
            "/etc/docker/daemon.json": #"{"data-root": "/srv/docker"}"#,
            "\(directory)/containers/\(Samples.webID)/config.v2.json": Samples.docker(),
        ]
        try await with(files) { try #require(try $0.find("web").engine == .docker) }
    }

    @Test(
        "Podman's containers are found by root's and by users' files",
        arguments: [
            ("/var/lib/containers/storage", "/run/containers/storage"),
            ("/home/ann/.local/share/containers/storage", "/run/user/1000/containers"),
        ])
    func podman(storage: String, running: String) async throws {
        let files = [
            "\(storage)/overlay-containers/containers.json": Samples.podman,
            "\(running)/overlay-containers/\(Samples.webID)/userdata/pidfile": "4711",
        ]
        try await with(files) { catalog in
            let web = try catalog.find("web")
            #expect(web.process == 4711 && web.engine == .podman)
            try #require(try catalog.find("database").process == nil)
        }
    }

    @Test("containerd's containers are found by nerdctl's and Kubernetes' names")
    func containerd() async throws {
        let bundles = ["default/\(Samples.webID)", "k8s.io/\(Samples.databaseID)"]
        let files = [
            "\(Self.tasks)/\(bundles[0])/init.pid": "4711",
            "\(Self.tasks)/\(bundles[0])/config.json": Samples.nerdctl,
            "\(Self.tasks)/\(bundles[1])/init.pid": "4712",
            "\(Self.tasks)/\(bundles[1])/config.json": Samples.kubernetes,
        ]
        try await with(files, processes: [4711: "", 4712: ""]) { catalog in
            try #require(try catalog.find("web").process == 4711)
            try #require(try catalog.find("server-7c9d/server").process == 4712)
            try #require(try catalog.find("4c9f").process == 4712)
        }
    }

    @Test("A container of Docker's that containerd runs is one container")
    func merged() async throws {
        let files = [
            Self.dockerFile(): Samples.docker(),
            "\(Self.tasks)/moby/\(Samples.webID)/init.pid": "4711",
        ]
        try await with(files) { catalog in
            #expect(catalog.containers().count == 1)
            try #require(try catalog.find("4c01").label == "web (Docker 4c01db0b339c)")
        }
    }

    @Test("Containers of other engines are found by the control groups of their processes")
    func controlGroups() async throws {
        let group = "0::/crio-\(Samples.databaseID).scope\n"
        try await with([:], processes: [1: "0::/init.scope\n", 9: group, 8: group]) { catalog in
            let found = try catalog.find("4c9f00")
            #expect(found.process == 8 && found.engine == .other)
        }
    }

    @Test("A beginning that several IDs have is refused with their names")
    func ambiguous() async throws {
        let files = [
            Self.dockerFile(): Samples.docker(),
            Self.dockerFile(Samples.databaseID): Samples.docker(
                id: Samples.databaseID, name: "database", process: 4712),
        ]
        try await with(files, processes: [4711: "", 4712: ""]) { catalog in
            let error = #expect(throws: TargetError.self) { try catalog.find("4c") }
            #expect(
                error?.description
                    == "--container 4c: may be any of web (Docker 4c01db0b339c), database (Docker "
                    + "4c9f00b7c1d5); write more of the ID")
        }
    }

    @Test("Of two containers with one name the one that runs is meant")
    func running() async throws {
        let files = [
            Self.dockerFile(): Samples.docker(isRunning: false, process: 0),
            Self.dockerFile(Samples.databaseID): Samples.docker(id: Samples.databaseID),
        ]
        try await with(files) { try #require(try $0.find("web").id == Samples.databaseID) }
    }

    @Test("A process ID from before the container stopped is not believed")
    func stale() async throws {
        let others = Samples.controlGroups(Samples.databaseID)[0]
        for processes in [[:], [4711: others]] as [[Int32: String]] {
            try await with([Self.dockerFile(): Samples.docker()], processes: processes) {
                try #require(try $0.find("web").process == nil)
            }
        }
        let own = [4711 as Int32: Samples.controlGroups(Samples.webID)[0]]
        try await with([Self.dockerFile(): Samples.docker()], processes: own) {
            try #require(try $0.find("web").process == 4711)
        }
    }

    @Test("An unknown name is refused with those that there are")
    func unknown() async throws {
        try await with([Self.dockerFile(): Samples.docker()]) { catalog in
            let error = #expect(throws: TargetError.self) { try catalog.find("wep") }
            #expect(
                error?.description == "--container wep: no such container of Docker, Podman or "
                    + "containerd (have: web)")
        }
        try await with([:]) { catalog in
            #expect(throws: TargetError.noSuchContainer("web", known: [])) {
                try catalog.find("web")
            }
        }
    }
}

extension ContainerCatalog {
    /// `container`, with errors of any type: expectations lose the one type of errors.
    fileprivate func find(_ text: String) throws -> Container { try container(text) }
}
