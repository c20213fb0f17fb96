import FoundationEssentials
import LinuxKernel
import SystemPackage
import TrafficControl
import Verification

/// A link with a probe at either end: the seam between `verify` and what makes links.
enum MeasuredLink {
    /// Sets a link up under the conditions that `request` names, runs both probes, and takes it
    /// down. Called in a process of its own.
    ///
    /// - Returns: the name of the data plane that carried the conditions out.
    static func run(_ request: VerifyLinkCommand, directory: String) throws -> String {
        guard request.backend != .engine else {
            throw UsageError(description: "the packet engine does not make links of its own yet")
        }
        let program = try FileManager.default.destinationOfSymbolicLink(
            atPath: ChildProgram.sameProgram)
        let apply =
            [program, "apply", request.profile, "-i", "eth0", "--quiet"]
            + request.settings.flatMap { ["--set", $0] }
        let script = """
            set -e
            unshare -n sleep infinity & far=$!
            trap 'kill $far' EXIT
            while [ "$(readlink /proc/$far/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do
                sleep 0.01
            done
            ip link add eth0 type veth peer name far0 netns $far
            nsenter -t $far -n ip -batch - <<END
            link set lo up
            addr add 198.18.0.1/24 dev far0
            addr add fd6c::1/64 dev far0 nodad
            link set far0 up
            END
            ip -batch - <<END
            link set lo up
            addr add 198.18.0.2/24 dev eth0
            addr add fd6c::2/64 dev eth0 nodad
            link set eth0 up
            END
            \(words(apply))
            nsenter -t $far -n \(words(probe(program, .far, "198.18.0.2", "fd6c::2", directory))) &
            \(words(probe(program, .app, "198.18.0.1", "fd6c::1", directory)))
            """
        let child = try ChildProgram(
            path: "/usr/bin/unshare", arguments: ["-n", "/bin/sh", "-c", script],
            output: .standardError)
        switch child.wait() {
        case .exited(0): return "kernel"
        case .exited(let code): throw SetUpFailure(code: code)
        case .killed(let signal): throw SetUpFailure(code: 128 + signal)
        }
    }

    /// What was wrong has been said by who found out.
    struct SetUpFailure: Error {
        let code: Int32
    }

    /// The words that start the probe of `role`, whose peer has these addresses.
    private static func probe(
        _ program: String, _ role: MeetingPlace.Role, _ peer: String, _ ipv6: String,
        _ directory: String
    ) -> [String] {
        [
            program, "probe", "--role", role.rawValue, "--peer", peer, "--peer-ipv6", ipv6,
            "--directory", directory,
        ]
    }

    private static func words(_ words: [String]) -> String {
        words.map { ShellWord($0).description }.joined(separator: " ")
    }
}
