import Foundation
import LinkTesting
import Testing

@testable import HostConditioning

@Suite("Files of container engines", .tags(.unit))
struct ContainerFilesTests {
    @Test("Docker's file tells ID, name and first process")
    func docker() throws {
        let container = try #require(
            ContainerFiles.docker(Data(ContainerSamples.docker().utf8)))
        #expect(
            container
                == Container(
                    id: ContainerSamples.webID, names: ["web"], engine: .docker, process: 4711))
        #expect(container.label == "web (Docker 4c01db0b339c)")
    }

    @Test("A container of Docker's that does not run has no process, whatever the file remembers")
    func stopped() throws {
        for (isRunning, process) in [(false, 0), (false, 4711), (true, 0)] {
            let text = ContainerSamples.docker(isRunning: isRunning, process: process)
            #expect(try #require(ContainerFiles.docker(Data(text.utf8))).process == nil)
        }
    }

    @Test("Podman's file tells IDs and names")
    func podman() {
        let containers = ContainerFiles.podman(Data(ContainerSamples.podman.utf8))
        #expect(containers.map(\.names) == [["web"], ["database"]])
        #expect(
            containers.map(\.id) == [ContainerSamples.webID, ContainerSamples.databaseID])
    }

    @Test("The bundles of containerd tell the names of nerdctl and of Kubernetes")
    func containerd() {
        #expect(ContainerFiles.containerdNames(Data(ContainerSamples.nerdctl.utf8)) == ["web"])
        #expect(
            ContainerFiles.containerdNames(Data(ContainerSamples.kubernetes.utf8))
                == ["server-7c9d/server", "server"])
    }

    @Test("A file with a process ID is read with its line break, and no other number is one")
    func process() {
        #expect(ContainerFiles.process("4711\n") == 4711)
        for text in ["", "0", "-1", "x", "99999999999"] {
            #expect(ContainerFiles.process(text) == nil)
        }
    }

    @Test("Control groups of every engine tell the container's ID")
    func controlGroups() {
        for text in ContainerSamples.controlGroups(ContainerSamples.webID) {
            #expect(
                ContainerFiles.containerIDs(inControlGroups: text) == [ContainerSamples.webID],
                "\(text)")
        }
        for text in ["", "0::/\n", "0::/user.slice/user-1000.slice/session-2.scope\n", "x", "0:"] {
            #expect(ContainerFiles.containerIDs(inControlGroups: text) == [])
        }
    }

    @Test("Docker may be told to have its files elsewhere")
    func dockerDirectory() {
        let settings = #"{"log-driver": "journald", "data-root": "/srv/docker"}"#
        #expect(ContainerFiles.dockerDirectory(Data(settings.utf8)) == "/srv/docker")
        #expect(ContainerFiles.dockerDirectory(Data("{}".utf8)) == nil)
    }

    @Test("Damaged files are nothing, without a trap")
    func damaged() {
        let samples = [
            ContainerSamples.docker(), ContainerSamples.podman, ContainerSamples.nerdctl,
        ]
        for sample in samples {
            let whole = Array(sample.utf8)
            for length in stride(from: 0, to: whole.count, by: 7) {
                let part = Data(whole.prefix(length))
                #expect(ContainerFiles.docker(part) == nil)
                #expect(ContainerFiles.podman(part) == [])
                #expect(ContainerFiles.containerdNames(part) == [])
            }
        }
    }
}
