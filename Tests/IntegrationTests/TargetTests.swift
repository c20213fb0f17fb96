import Foundation
import KernelPlane
import LinkTesting
import Testing

/// Networks that are not the caller's.
@Suite("Targets", .serialized, .requiresDataPlane)
struct TargetTests {
    /// Runs a shell script outside the namespaces of `network`, with the program as `$linkcond`
    /// and a process in the app's namespace as `$target`.
    private func run(_ script: String, _ network: TestNetwork) async throws -> ProcessResult {
        let prelude = """
            set -e
            app=\(network.app) linkcond='\(try TestNetwork.program())'
            ip netns exec $app sleep 300 &
            target=$!
            export target linkcond
            trap 'kill $target' EXIT
            until ip netns pids $app | grep -q "^$target\\$"; do sleep 0.1; done

            """
        return try await runProcess("bash", ["-c", prelude + script])
    }

    @Test("A network is reached by its name, its path and its processes")
    func namespaces() async throws {
        try await TestNetwork.with { network in
            let before = try await network.state()
            let result = try await run(
                """
                $linkcond apply LTE --netns $app
                $linkcond apply 3G --replace --netns /run/netns/$app
                $linkcond status --json --pid $target
                $linkcond apply Edge --replace --pid $target -i eth0
                $linkcond clear --all --pid $target
                """, network)
            #expect(result.exitCode == 0, "\(result.standardError)")
            let status = try JSONDecoder().decode(
                Status.self, from: Data(result.standardOutput.utf8))
            #expect(status.conditioned.map(\.interface) == ["eth0"])
            #expect(status.conditioned.map(\.profile) == ["apple/3G"])
            let said = result.standardError
            #expect(said.contains("in the network namespace \(network.app)\neth0: apple/LTE"))
            #expect(said.contains("in the network namespace of process "))
            try await network.expectUnchanged(since: before)
        }
    }

    /// The caller's network has an interface of that name as well, or none.
    @Test("A limit counts the traffic of the network in which it is played")
    func limit() async throws {
        try await TestNetwork.with { network in
            try await withTemporaryDirectory { directory in
                let file = try directory.write(
                    """
                    name: Limit
                    interfaces: { cell0: { profile: WiFi } }
                    timeline:
                      - { at: 0.1 s, interface: cell0, limit: 100 kB, down: true }
                      - { at: 300 s, expect: { status: satisfied } }
                    """, to: "limit.yaml")
                let result = try await run(
                    """
                    $linkcond play \(file) -i cell0=eth0 --netns $app -v 2>\(directory.path)/said &
                    play=$!
                    for round in $(seq 200); do
                        grep -q 'cell0: down' \(directory.path)/said && break
                        ip netns exec $app ping -c 2 -i 0.1 -W 1 -s 8000 -q \(TestNetwork.serverIPv4) || true
                    done >/dev/null
                    kill -INT $play
                    wait $play || true
                    grep -o 'cell0: down' \(directory.path)/said
                    """, network)
                #expect(result.standardOutput == "cell0: down\n", "\(result)")
            }
        }
    }

    @Test("Containers are reached by the files of their engines")
    func containers() async throws {
        try await TestNetwork.with { network in
            let before = try await network.state()
            // In a mount namespace, where no real engine has its files.
            let result = try await run(
                """
                export HOME=/run/ann XDG_RUNTIME_DIR=/run/user/1000
                unshare -m bash -ec '
                    mount -t tmpfs none /run
                    mount -t tmpfs none /var/lib
                    web=$(printf %064d 1) database=$(printf %064d 2) old=$(printf %064d 3)
                    docker() {
                        mkdir -p /var/lib/docker/containers/$1
                        echo "{\\"State\\":{\\"Running\\":$3,\\"Pid\\":$4},\\"ID\\":\\"$1\\",\
                \\"Name\\":\\"/$2\\"}" >/var/lib/docker/containers/$1/config.v2.json
                    }
                    docker $web web true $target
                    docker $old old false 0
                    storage=$HOME/.local/share/containers/storage/overlay-containers
                    mkdir -p $storage
                    echo "[{\\"id\\":\\"$database\\",\\"names\\":[\\"database\\"]}]" \
                        >$storage/containers.json
                    running=$XDG_RUNTIME_DIR/containers/overlay-containers/$database/userdata
                    mkdir -p $running
                    echo $target >$running/pidfile
                    task=/run/containerd/io.containerd.runtime.v2.task/default/job
                    mkdir -p $task
                    echo $target >$task/init.pid
                    $linkcond apply LTE --container web
                    $linkcond status --container database
                    $linkcond clear --container job
                    $linkcond apply LTE --container old || echo "exit code $?"
                    $linkcond apply LTE --container 0000 || echo "exit code $?"
                '
                """, network)
            #expect(result.exitCode == 0, "\(result.standardError)")
            let said = result.standardError
            #expect(said.contains("in the network of container web (Docker 000000000000)\neth0: "))
            #expect(said.contains("in the network of container database (Podman 000000000000)"))
            #expect(said.contains("in the network of container containerd job\neth0: cleared"))
            #expect(said.contains("--container old (Docker 000000000000): is not running"))
            #expect(said.contains("--container 0000: may be any of web (Docker "))
            #expect(result.standardOutput.contains("apple/LTE"))
            #expect(result.standardOutput.hasSuffix("exit code 69\nexit code 64\n"))
            try await network.expectUnchanged(since: before)
        }
    }

    @Test("Containers with a label are reached together, or none of them")
    func labels() async throws {
        try await TestNetwork.with { network in
            let result = try await run(
                """
                ip netns exec \(network.server) sleep 300 &
                trap "kill $target $!" EXIT
                export other=$!
                until ip netns pids \(network.server) | grep -q "^$other$"; do sleep 0.1; done
                export bin=$(mktemp -d)
                unshare -m bash -ec '
                    mount -t tmpfs none /run
                    mount -t tmpfs none /var/lib
                    web=$(printf %064d 1) database=$(printf %064d 2)
                    for each in $web:web:$target $database:database:$other; do
                        IFS=: read id name pid <<<$each
                        mkdir -p /var/lib/docker/containers/$id
                        echo "{\\"State\\":{\\"Running\\":true,\\"Pid\\":$pid},\\"ID\\":\\"$id\\",\
                \\"Name\\":\\"/$name\\"}" >/var/lib/docker/containers/$id/config.v2.json
                    done
                    # The second has a web server of its pod, too.
                    cat >$bin/docker <<END
                #!/bin/sh
                case "\\$*" in
                "ps -q --no-trunc --filter label=project=shop") printf "$web\\n$database\\n$web\\n" ;;
                *broken*) echo is the daemon running\\? >&2; exit 1 ;;
                esac
                END
                    chmod +x $bin/docker
                    for other in podman nerdctl; do ln -s docker $bin/$other; done
                    PATH=$bin:$PATH
                    $linkcond apply LTE -i eth0 --label project=shop
                    for name in web database; do
                        $linkcond status --container $name | grep -o "apple/LTE"
                    done
                    $linkcond clear --label=project=shop
                    $linkcond apply 3G -i eth0 --container database
                    $linkcond apply LTE -i eth0 --label project=shop || echo "exit code $?"
                    $linkcond status --container web
                    $linkcond status --container database | grep -o "apple/3G"
                    $linkcond clear --label project=shop
                    for label in none=1 broken ""; do
                        $linkcond apply LTE --label "$label" || echo "exit code $?"
                    done
                    $linkcond clear --label a=b --container web || echo "exit code $?"
                ' || true
                rm -r $bin
                """, network)
            let said = result.standardError
            #expect(
                result.standardOutput.split(separator: "\n").filter { !$0.contains("Nothing") } == [
                    "apple/LTE", "apple/LTE", "exit code 64", "apple/3G", "exit code 64",
                    "exit code 69", "exit code 64", "exit code 64",
                ], "\(result)")
            #expect(said.contains("it was undone for 000000000000"), "\(said)")
            #expect(said.contains("no running container has it"), "\(said)")
            #expect(said.contains("is the daemon running?"), "\(said)")
        }
    }

    @Test(
        "All interfaces are those that are up, and loopback only if it is named",
        .requiresKernel(.netem))
    func allInterfaces() async throws {
        try await TestNetwork.with { network in
            try await network.batch(
                """
                link add x0 type dummy
                link set x0 addrgenmode none up
                link add x1 type dummy
                """, in: network.app)
            let before = try await network.state()
            try await network.mustRun("apply", "LTE", "--all-interfaces")
            #expect(try await network.status().conditioned.map(\.interface) == ["eth0", "x0"])
            let mixed = try await network.linkcond(
                "apply", "3G", "--all-interfaces", "-i", "lo", "--replace")
            #expect(mixed.exitCode == 64)
            #expect(mixed.standardError.contains("cannot tell on a loopback who asks"))
            try await network.mustRun(
                "apply", "3G", "--all-interfaces", "-i", "lo", "-i", "x0", "--replace",
                "--backend", "kernel")
            let conditioned = try await network.status().conditioned
            #expect(conditioned.map(\.interface) == ["eth0", "lo", "x0"])
            #expect(conditioned.allSatisfy { $0.profile == "apple/3G" && $0.defect == nil })
            try await network.mustRun("clear")
            try await network.expectUnchanged(since: before)
        }
    }
}
