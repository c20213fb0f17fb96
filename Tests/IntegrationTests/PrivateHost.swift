import LinkTesting

/// A host of a test's own: a network with a wire, and a `/run` that nobody else sees.
enum PrivateHost {
    /// Runs a script of `sh` there, in which `$0` is linkcond; `eth0` has a wire to `eth1`.
    static func script(
        _ text: String, timeout: Duration = .programLimit
    ) async throws -> ProcessResult {
        try await runProcess(
            "unshare", ["-nm", "sh", "-c", setUp + text, TestNetwork.program()],
            timeout: timeout)
    }

    private static let setUp = """
        mount -t tmpfs -o mode=755 run /run
        unset XDG_RUNTIME_DIR
        ip link set lo up
        ip link add eth0 type veth peer name eth1
        ip link set eth0 up; ip link set eth1 up
        ip address add 192.0.2.1/24 dev eth0
        ip route add default via 192.0.2.2
        # Takes a lock as a user who may do nothing else.
        lock() {
            setpriv --reuid 65534 --regid 65534 --clear-groups flock -F "$@" sleep 60 2>&1 &
            lockers="$lockers $!"
        }
        isLocked() { ! flock -n "$1" true; }
        # Waits until a command succeeds.
        eventually() {
            for round in $(seq 1200); do
                "$@" && return
                sleep 0.05
            done
            echo "never: $*"
            return 1
        }

        """
}
