import Foundation
import LinkTesting
import Testing

/// Whatever ends a run, and when, nothing stays.
@Suite("Run: leftovers", .serialized, .requiresNamespaces, .tags(.contrary, .long))
struct RunLeftoverTests {
    /// Every caller with all uplinks that are open to it: a hundred moments each.
    private static let uplinks: [(Caller, String)] =
        ["relay", "slirp", "veth"].map { (.root, $0) }
        + ["relay", "slirp", "pasta"].map { (.ordinaryUser, $0) }

    @Test(.requiresUplink, arguments: uplinks)
    func `killed at random moments, with an uplink`(caller: Caller, uplink: String) async throws {
        try await expectNothingLeft(of: caller, uplink: uplink)
    }

    @Test(arguments: Caller.allCases)
    func `killed at random moments, without an uplink`(caller: Caller) async throws {
        try await expectNothingLeft(of: caller, uplink: "none")
    }

    /// Kills `linkcond run` at random moments of its start and of its command, and compares what can
    /// be seen on the host before and after.
    private func expectNothingLeft(of caller: Caller, uplink: String) async throws {
        let result = try await StandInHost.script(
            Self.script, by: caller,
            arguments: ["--uplink", uplink, "--server", "sleep 60", "--timeout", "50s"])
        #expect(result.exitCode == 0, "\(result.standardOutput) \(result.standardError)")
    }

    private static let script = """
        set +e
        # Of files in /run, empty locks and what the kernel can do stay.
        picture() {
            cut -d: -f1 /proc/net/dev | sort
            printf '%s\\n' 'address show' 'rule show' 'route show' | ip -o -batch -
            ip -6 rule
            nft list ruleset
            # Named namespaces belong to other tests: a run has none.
            grep -v ' nsfs ' /proc/self/mounts | sort
            find /run -type f -size +0 ! -name kernel-features
            cat /proc/sys/net/ipv4/conf/*/forwarding /proc/sys/net/ipv6/conf/*/forwarding
        }
        processes() { grep -lsz "^LCTEST_RUN=$DIRECTORY" /proc/[0-9]*/environ; }
        # The kernel takes down in its own time what nobody uses any more.
        eventually() {
            for round in $(seq 300); do
                "$@" && return
                sleep 0.02
            done
            return 1
        }
        isOver() { ! processes >/dev/null; }
        isAsBefore() { picture >$DIRECTORY/after; cmp -s $DIRECTORY/before $DIRECTORY/after; }
        # In milliseconds. Where processes start slowly, fewer moments have to do.
        begun=$(date +%s%3N)
        (run LTE "$@" -- true) || exit 1
        length=$(($(date +%s%3N) - begun))
        [ $length -gt 500 ] && moments=5 || moments=25
        picture >$DIRECTORY/before
        for number in $(seq $moments); do
            # Most are in the set-up, some in the midst of the command.
            latest=$((number % 4 ? length + 20 : 3 * length))
            moment=$((RANDOM % latest))
            run LTE "$@" -- sleep 50 >$DIRECTORY/said 2>&1 &
            pid=$!
            sleep $(printf '%d.%03d' $((moment / 1000)) $((moment % 1000)))
            if ! kill -9 $pid; then
                echo "it ended by itself: $(cat $DIRECTORY/said)"
                exit 1
            fi
            wait $pid
            if ! eventually isOver; then
                echo "after $moment ms:"
                for path in $(processes); do tr '\\0' ' ' <${path%environ}cmdline; echo; done
                exit 1
            elif ! eventually isAsBefore; then
                echo "after $moment ms:"
                diff $DIRECTORY/before $DIRECTORY/after
                exit 1
            fi
        done
        """
}
