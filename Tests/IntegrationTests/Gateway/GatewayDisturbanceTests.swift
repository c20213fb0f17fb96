import Foundation
import LinkTesting
import Testing

extension GatewayTests {
    /// One after the other: for a container that sees no other processes, what a gateway that was
    /// killed in another namespace has left belongs to nobody.
    @Suite("Gateways that others disturb", .serialized)
    struct Disturbed {
        @Test func `killed, alone or with its guardian, one leaves nothing behind`() async throws {
            let lab = try GatewayLab(devices: 1)
            let before = try await lab.settledState()
            let process = try lab.start("--default LTE")
            try lab.join(1)
            try await eventually("LTE is there") {
                try GatewayTests.device(1, lab)?.profile == "apple/LTE"
            }
            try await lab.end(process, by: SIGKILL)
            try await eventually("the host is restored") { try lab.state() == before }
            let changes = try lab.changes(since: before)
            #expect(changes == [])

            for remedy in ["clear --all", "gateway"] {
                try lab.start("--default LTE")
                try lab.join(1)
                try await eventually("LTE is there") {
                    try GatewayTests.device(1, lab)?.profile == "apple/LTE"
                }
                try lab.killAll()
                #expect(try lab.state() != before, "all were killed at once")
                if remedy == "gateway" {
                    try await lab.end(try lab.start(""))
                } else {
                    #expect(try lab.linkcond("\(remedy) 2>&1").contains("a killed gateway"))
                }
                let changes = try lab.changes(since: before)
                #expect(changes == [], "\(remedy)")
            }
        }

        @Test func `what others undo is done again, also for an uplink that comes back`()
            async throws
        {
            let lab = try GatewayLab(devices: 1)
            let before = try await lab.settledState()
            let process = try lab.start()
            try lab.join(1)
            func reachesServer() throws -> Bool {
                try [GatewayLab.server4, GatewayLab.server6].allSatisfy { server in
                    try lab.devices[0].shell("ping -n -c 1 -W 1 \(server) || true")
                        .contains(" 1 received")
                }
            }
            try await eventually("the device reaches the server", reachesServer)

            // In a container with the host's /run, where neither processes nor names of namespaces are seen.
            try lab.server.shell(
                """
                exec unshare --mount --pid --fork --mount-proc sh -c \
                    'umount -a -t nsfs; exec \(try TestNetwork.program()) clear'
                """)
            try lab.router.shell(
                """
                set -e
                ip -4 address flush dev lan0
                ip link set lan0 down
                ip link set lan0 up
                for family in ipv4 ipv6; do
                    for interface in lan0 wan0; do
                        echo 0 >/proc/sys/net/$family/conf/$interface/forwarding
                    done
                done
                """)
            try await eventually("it does again", reachesServer)
            #expect(kill(process, 0) == 0, "\(lab.log)")
            // The gateway may have looked in between, and so tell one address after the other.
            try await eventually("the gateway tells what it repaired") {
                let lost = lab.log.split(separator: "\n").filter {
                    $0.contains("had lost its address")
                }
                return lost.contains { $0.contains(" 192.168.77.1") }
                    && lost.contains { $0.contains(" fd") }
                    && lab.log.contains("somebody had switched forwarding off; it is on again")
            }

            // It comes and goes while the gateway looks.
            try lab.router.shell(
                """
                ip link delete wan0
                for round in $(seq 150); do
                    ip link add wan0 type veth peer name other0
                    sleep 0.0$((round % 5))
                    ip link delete wan0
                    sleep 0.0$((round % 3))
                done
                """)
            try await eventually("the gateway says so") { lab.log.contains("wan0 is gone; until") }
            try lab.connect()
            try await eventually("the device reaches the server by the new uplink", reachesServer)
            try await eventually("the gateway says that it is another") {
                lab.log.contains("wan0 is another interface than before")
            }
            try await lab.end(process)
            // The interface is another one, of which the rest of the state tells.
            #expect(try GatewayLab.parameters(in: lab.state()) == GatewayLab.parameters(in: before))
            #expect(try lab.router.shell("ip -o address show dev lan0 scope global") == "")

            let last = try lab.start()
            try lab.router.shell("ip link delete lan0")
            try await eventually("the gateway ends") { kill(last, 0) != 0 }
            #expect(lab.log.contains("lan0 is gone, and the devices with it"))
        }
    }
}
