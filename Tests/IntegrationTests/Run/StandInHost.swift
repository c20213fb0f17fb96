import Foundation
import LinkTesting

/// A network namespace that stands for a host with one interface, apart from the real one.
enum StandInHost {
    /// Runs a script of bash there.
    ///
    /// It finds `run`, which is `linkcond run` in the caller's name, an empty directory
    /// `$DIRECTORY` in which everybody may write, `serve`, which starts a web server of that
    /// directory on the loopback's port 8000, `peer`, which is a command of the relay's tests, and
    /// a `/run` and a `/dev/net/tun` of its own. Files of programs are in that directory, too: in the
    /// host's own one perhaps only root may write.
    static func script(
        _ script: String, by caller: Caller, arguments: [String] = [],
        timeout: Duration = .programLimit
    ) async throws -> ProcessResult {
        let identity =
            caller.userID.map { "setpriv --reuid \($0) --regid \($0) --clear-groups --" } ?? ""
        return try await withTemporaryDirectory { directory in
            let peers = "\(BuiltProduct.packageDirectory)/Tests/UplinkTests/Fixtures/peers.py"
            try shell("chmod 777 \(directory.path); cp \(peers) \(directory.path)")
            return try await runProcess(
                "unshare",
                [
                    "--net", "--mount", "env", "PROGRAM=\(try SandboxedRun.program())",
                    "DIRECTORY=\(directory.path)", "TMPDIR=\(directory.path)",
                    "IDENTITY=\(identity)",
                    "bash", "-c", prelude + script, "bash",
                ] + arguments, timeout: timeout)
        }
    }

    private static let prelude = """
        set -e
        \(TestParameters.script)
        ip link set lo up
        ip link add out0 type veth peer name out1
        ip link set out0 addrgenmode none
        ip link set out1 addrgenmode none
        ip address add 192.0.2.1/24 dev out0
        ip link set out0 up
        ip link set out1 up
        ip route add default via 192.0.2.2
        mount -t tmpfs tmpfs /run
        mknod -m 666 /run/tun c 10 200
        mount --bind /run/tun /dev/net/tun
        echo 0 2147483647 >/proc/sys/net/ipv4/ping_group_range
        cd /
        # Replaces the shell, which so has to be one of its own: (run …) or run … &. All processes
        # of the run have the variable.
        run() { exec env LCTEST_RUN=$DIRECTORY $IDENTITY $PROGRAM run "$@"; }
        peer() { exec python3 $DIRECTORY/peers.py "$@"; }
        serve() {
            setpriv --pdeathsig TERM \\
                python3 -m http.server --directory $DIRECTORY --bind 127.0.0.1 8000 >/dev/null 2>&1 &
            until curl -s -o /dev/null http://127.0.0.1:8000/; do sleep 0.02; done
        }

        """
}
