import Foundation
import KernelPlane
import LinkTesting
import Testing

/// Nothing is left behind, however a process ends.
@Suite("Leftovers", .serialized, .requiresKernel(.netem), .tags(.long))
struct LeftoverTests {
    @Test("Apply, replace and clear leave links, qdiscs and filters as they were")
    func roundTrip() async throws {
        try await TestNetwork.with { network in
            let before = try await network.state()
            try await network.mustRun("apply", "LTE")
            try await network.mustRun("apply", "high-loss", "--replace", "--direction", "down")
            #expect(try await network.state() != before)
            try await network.mustRun("clear")
            try await network.expectUnchanged(since: before)
        }
    }

    @Test("A qdisc and filters of other programs stay as they are")
    func foreign() async throws {
        try await TestNetwork.with { network in
            let setUp = """
                tc qdisc add dev eth0 root handle 5: fq_codel limit 77
                tc qdisc add dev eth0 clsact
                tc filter add dev eth0 egress pref 3 protocol arp u32 match u32 0 0 classid :1
                """
            #expect(try await network.run("sh", ["-ec", setUp]).exitCode == 0)
            let before = try await network.state()

            let refused = try await network.linkcond("apply", "LTE")
            #expect(refused.exitCode == 69)
            #expect(refused.standardError.contains("pref 3 u32"))
            #expect(refused.standardError.contains("--force"))
            try await network.expectUnchanged(since: before)

            try await network.mustRun("apply", "LTE", "--force")
            #expect(try await network.shortestRoundTrip(to: TestNetwork.serverIPv4) > 114)
            try await network.mustRun("clear")
            try await network.expectUnchanged(since: before)
        }
    }

    @Test("Killed at any moment, apply and clear leave what clear --all takes away")
    func kill() async throws {
        try await TestNetwork.with { network in
            let result = try await network.run(
                "bash", ["-c", Self.killing, try TestNetwork.program()], timeout: .seconds(600))
            #expect(result.exitCode == 0, "\(result.standardOutput) \(result.standardError)")
            let kills = Int(result.standardOutput.dropLast()) ?? 0
            #expect(kills > 10, "some have to be killed: \(result.standardOutput)")
        }
    }

    /// Prints how many were killed, or what one of them left. One shell does it all, since starting
    /// processes is slow in the lab.
    private static let killing = """
        state() {
        \(TestNetwork.stateScript)
        }
        now() { echo ${EPOCHREALTIME/[.,]/}; }
        # Kills linkcond within its usual microseconds or a little later. The shell waits by itself, on
        # a pipe on which nothing comes: it would else be later by the start of a process.
        exec 3<> <(:)
        kills=0
        killed() {
            moment=$(printf %07d $(($1 * RANDOM / 27307)))
            moment=${moment%??????}.${moment: -6}
            shift
            "$program" "$@" >/dev/null 2>&1 &
            read -r -t $moment -u 3
            kill -9 $! 2>/dev/null
            wait $! 2>/dev/null
            [ $? != 137 ] || kills=$((kills + 1))
        }
        expectUnchanged() {
            "$program" clear --all >/dev/null || exit
            local after
            after=$(state)
            [ "$after" = "$before" ] && return
            echo "$1 killed after $moment s:"
            diff <(tr , '\\n' <<<"$before") <(tr , '\\n' <<<"$after")
            exit 1
        }
        program=$0
        before=$(state)
        # The first start takes longer, since the program has to be read.
        "$program" apply LTE >/dev/null && "$program" clear >/dev/null || exit
        begun=$(now)
        "$program" apply LTE >/dev/null || exit
        applied=$(now)
        "$program" clear >/dev/null || exit
        cleared=$(now)
        for round in {1..50}; do
            killed $((applied - begun)) apply LTE
            expectUnchanged apply
        done
        for round in {1..50}; do
            "$program" apply LTE >/dev/null || exit
            killed $((cleared - applied)) clear
            expectUnchanged clear
        done
        echo $kills
        """

    @Test("Two hundred interfaces are conditioned and cleared together")
    func manyInterfaces() async throws {
        try await TestNetwork.with { network in
            let names = (0..<200).map { "v\($0)" }
            let pairs = stride(from: 0, to: 200, by: 2).map {
                "link add v\($0) type veth peer name v\($0 + 1)"
            }
            let commands = pairs + names.map { "link set \($0) addrgenmode none up" }
            try await network.batch(commands.joined(separator: "\n"), in: network.app)
            let before = try await network.state()
            try await network.linkcond(["apply", "LTE"] + names.flatMap { ["-i", $0] })
            let status = try await network.status()
            #expect(Set(status.conditioned.map(\.interface)) == Set(names))
            #expect(
                status.conditioned.allSatisfy {
                    $0.defect == nil && $0.profile == "apple/LTE"
                        && $0.down?.bandwidthBitsPerSecond == 50_000_000
                        && $0.up?.delayMilliseconds == 65
                })
            try await network.mustRun("clear", "--all")
            try await network.expectUnchanged(since: before)
            let journal = try await network.run(
                "sh", ["-c", "ls /run/linkcond/journal/$(stat -Lc %i /proc/self/ns/net)"])
            #expect(journal.standardOutput == "", "the namespace's journal has no entry")
        }
    }

    @Test("One interface that cannot be conditioned leaves the others alone")
    func allOrNothing() async throws {
        try await TestNetwork.with { network in
            try await network.batch(
                """
                link add x0 type dummy
                link add x1 type dummy
                link set x0 addrgenmode none up
                """, in: network.app)
            let before = try await network.state()
            let result = try await network.linkcond(
                "apply", "LTE", "-i", "eth0", "-i", "x0", "-i", "x1")
            #expect(result.exitCode == 69)
            #expect(result.standardError.contains("x1: the interface is down"))
            try await network.expectUnchanged(since: before)
        }
    }

    @Test("Filters that lost their ifbs let nothing pass, as status says, until clear")
    func strayFilters() async throws {
        try await TestNetwork.with { network in
            let before = try await network.state()
            try await network.mustRun("apply", "LTE")
            try await network.batch("link del group 7181", in: network.app)
            let status = try await network.status()
            #expect(status.conditioned.first?.problem?.contains("packets are lost") == true)
            try await network.mustRun("clear")
            try await network.expectUnchanged(since: before)
        }
    }

    @Test("An interface that is gone leaves ifbs, which status names and clear takes away")
    func interfaceGone() async throws {
        try await TestNetwork.with { network in
            try await network.batch(
                "link add x0 type veth peer name x1\nlink set x0 up", in: network.app)
            let before = try await network.run("ip", ["-br", "link"]).standardOutput
            try await network.mustRun("apply", "LTE", "-i", "x0")
            try await network.batch("link del x0", in: network.app)
            let status = try await network.status()
            #expect(status.conditioned.first?.problem?.contains("is gone") == true)
            try await network.mustRun("clear")
            let after = try await network.run("ip", ["-br", "link"]).standardOutput
            #expect(before.hasPrefix(after.prefix(40)) && !after.contains("lcu"))
        }
    }
}
