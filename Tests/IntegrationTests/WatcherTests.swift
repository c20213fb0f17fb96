import LinkTesting
import Testing

/// Processes that end conditions and overrides, and what becomes of them.
@Suite("Watchers", .requiresNamespaces, .tags(.anyKernel))
struct WatcherTests {
    /// The processes of watchers by the files on which they show themselves.
    private static let functions = """
        watchers() { ls /run/linkcond/watchers 2>/dev/null; }
        processes() { for name in $(watchers); do pgrep -f "watch $name "; done; }
        isWatched() { test -n "$(processes)"; }
        isUnwatched() { ! isWatched; }
        # A killed process is there until the kernel has closed what it had open.
        killAll() { former=$(processes); kill -9 $former; eventually areGone; }
        areGone() { for process in $former; do ! test -e /proc/$process || return 1; done; }
        # Keeps apply from getting further than its watcher.
        hold() { "$0" clear >&2; exec 9>/run/linkcond/lock; flock 9; }
        isOne() { test $(processes | wc -l) = 1; }
        problem() { "$0" status --json | sed -n 's/.*"problem" : "\\(.*\\)".*/problem: \\1/p'; }

        """

    private func expect(
        _ script: String, _ output: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let result = try await PrivateHost.script(Self.functions + script, timeout: .seconds(300))
        #expect(result.standardOutput == output, "\(result)", sourceLocation: sourceLocation)
    }

    @Test("One that is killed while apply goes on is replaced")
    func replaced() async throws {
        try await expect(
            """
            for round in 1 2 3; do
                hold
                "$0" apply LTE -i eth0 --for 1h 2>/dev/null 9>&- &
                caller=$!
                eventually isWatched
                sleep 0.5
                killAll
                exec 9>&-
                wait $caller; echo "apply $?"
                isWatched && test "$(processes)" != "$former" && echo watched
                problem
            done
            "$0" clear 2>/dev/null
            eventually isUnwatched
            """, String(repeating: "apply 0\nwatched\n", count: 3))
    }

    @Test("One whose caller was killed before it did anything ends soon")
    func killedCaller() async throws {
        try await expect(
            """
            hold
            "$0" apply LTE -i eth0 --for 1h 2>/dev/null 9>&- &
            eventually isWatched
            sleep 0.5
            watcher=$(processes)
            kill -9 $!
            exec 9>&-
            isOver() { ! test -e /proc/$watcher; }
            eventually isOver && echo over
            watchers
            """, "over\n")
    }

    @Test("What killed ones leave goes with a clear, once nobody needs to be told any more")
    func leftovers() async throws {
        try await expect(
            """
            "$0" apply LTE -i eth0 --for 1h 2>/dev/null
            killAll
            problem
            "$0" override set -i eth0 --expensive --for 1h 2>/dev/null
            killAll
            touch /run/linkcond/journal.partial
            "$0" clear 2>/dev/null
            "$0" override show | grep -o "the process that was to end this is gone"
            touch -d "2 hours ago" /run/linkcond/watchers/*
            "$0" clear 2>/dev/null
            ls /run/linkcond/watchers
            # Where the kernel conditions, there is a directory for what it has to put back.
            ls -A /run/linkcond | grep -v -x journal
            find /run/linkcond/journal -mindepth 1 2>/dev/null
            """,
            """
            problem: the process that was to end this is gone; it stays until linkcond clear
            the process that was to end this is gone
            kernel-features
            lock
            override.lock
            watchers

            """)
    }

    @Test("One that is stopped is told")
    func stopped() async throws {
        try await expect(
            """
            "$0" apply LTE -i eth0 --for 1h 2>/dev/null
            watcher=$(processes)
            isStopped() { grep -q "^State:.T" /proc/$watcher/status; }
            goesOn() { ! isStopped; }
            kill -STOP $watcher; eventually isStopped
            problem | sed "s/$watcher/PID/"
            kill -CONT $watcher; eventually goesOn
            problem
            "$0" clear 2>/dev/null
            """,
            """
            problem: the process that is to end this is stopped; let it go on with: kill -CONT PID

            """)
    }

    @Test("An override ends in the namespace to which its interface was moved")
    func moved() async throws {
        try await expect(
            """
            unshare -n sleep 600 & other=$!
            isOther() { test "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/$$/ns/net)"; }
            eventually isOther
            "$0" override set -i eth0 --expensive --for 6s 2>/dev/null
            ip link set eth0 netns $other
            hasMark() { nsenter -t $other -n ip link show eth0 | grep -q linkcond; }
            hasNoMark() { ! hasMark; }
            hasMark && echo "moved with its mark"
            eventually hasNoMark && echo ended || isUnwatched || echo "still watched"
            eventually isUnwatched && echo unwatched
            kill $other
            """, "moved with its mark\nended\nunwatched\n")
    }

    @Test("An override ends although its interface is moved in the moment in which its time comes")
    func movedInTime() async throws {
        try await expect(
            """
            unshare -n sleep 600 & other=$!
            isOther() { test "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/$$/ns/net)"; }
            eventually isOther
            "$0" override set -i eth0 --expensive --for 3s 2>/dev/null
            watcher=$(processes)
            kill -STOP $watcher
            ip link set eth0 netns $other
            sleep 3
            hasMark() { nsenter -t $other -n ip link show eth0 | grep -q linkcond; }
            hasNoMark() { ! hasMark; }
            hasMark && echo "moved with its mark"
            kill -CONT $watcher
            eventually hasNoMark && echo ended || isUnwatched || echo "still watched"
            eventually isUnwatched && echo unwatched
            kill $other
            """, "moved with its mark\nended\nunwatched\n")
    }

    @Test("Overrides end although their interfaces are moved while they are ended")
    func movedInEnding() async throws {
        try await expect(
            """
            unshare -n sleep 600 & other=$!
            isOther() { test "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/$$/ns/net)"; }
            eventually isOther
            # Each is moved at another moment around its end, and while others are set.
            for number in $(seq 20); do
                ip link add wire$number type veth peer name end$number
                "$0" override set -i wire$number --expensive --for 300ms 2>/dev/null
                (
                    sleep 0.$((275 + number))
                    ip link set wire$number netns $other
                ) & movers="$movers $!"
            done
            wait $movers
            marks() { nsenter -t $other -n ip link | grep linkcond; }
            hasNoMark() { ! marks >/dev/null; }
            eventually hasNoMark && echo ended || { isUnwatched || echo "still watched"; marks; }
            nsenter -t $other -n ip link | grep -c wire
            eventually isUnwatched && echo unwatched
            kill $other
            """, "ended\n20\nunwatched\n")
    }

    @Test("One ends what was moved, though its other override has been cleared")
    func movedBeforeClearing() async throws {
        try await expect(
            """
            unshare -n sleep 600 & other=$!
            isOther() { test "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/$$/ns/net)"; }
            eventually isOther
            ip link add wire0 type veth peer name wire1
            "$0" override set -i eth0 -i wire0 --expensive --for 4s 2>/dev/null
            ip link set wire0 netns $other
            "$0" override clear -i eth0 2>/dev/null
            hasMark() { nsenter -t $other -n ip link show wire0 | grep -q linkcond; }
            hasNoMark() { ! hasMark; }
            hasMark && echo "moved with its mark"
            eventually hasNoMark && echo ended || isUnwatched || echo "still watched"
            eventually isUnwatched && echo unwatched
            kill $other
            """, "moved with its mark\nended\nunwatched\n")
    }

    @Test("One has nothing to wait for once its override is cleared or replaced")
    func cleared() async throws {
        try await expect(
            """
            "$0" override set -i eth0 --expensive --for 1h 2>/dev/null
            isWatched && "$0" override clear 2>/dev/null
            eventually isUnwatched && echo cleared
            "$0" override set -i eth0 --expensive --for 1h 2>/dev/null
            former=$(processes)
            "$0" override set -i eth0 --constrained --for 1h 2>/dev/null
            isReplaced() { ! test -e /proc/$former && isOne; }
            eventually isReplaced && echo replaced
            "$0" override clear 2>/dev/null
            isForgotten() { test -z "$(watchers)"; }
            eventually isForgotten || { watchers; ps axf; "$0" override show --json; }
            """, "cleared\nreplaced\n")
    }

    @Test("One ends with its interface, and with the namespace")
    func gone() async throws {
        try await expect(
            """
            "$0" override set -i eth0 --expensive --for 1h 2>/dev/null
            isWatched && ip link delete eth1
            eventually isUnwatched && echo "gone with the interface"
            ip netns add other
            in="ip netns exec other"
            $in ip link set lo up
            $in ip link add eth0 type veth peer name eth1
            $in ip link set eth0 up
            $in "$0" override set -i eth0 --expensive --for 1h 2>/dev/null
            $in "$0" apply LTE -i eth0 --for 1h 2>/dev/null
            test $(processes | wc -l) = 2 && echo watched
            # The engine has to go first: it is in there.
            $in "$0" clear 2>/dev/null
            eventually isOne
            $in "$0" override set -i lo --expensive --for 1h 2>/dev/null
            ip netns delete other
            eventually isUnwatched && echo "gone with the namespace"
            """, "gone with the interface\nwatched\ngone with the namespace\n")
    }
}
