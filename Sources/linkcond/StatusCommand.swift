import ArgumentParser
import DataPlanes
import FoundationEssentials
import Glibc
import HostConditioning
import Multipath
import Netlink
import Sandbox

/// `linkcond status`
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows the current conditions with live counters.",
        discussion: """
            The conditions come from the kernel or the packet engine, so they are what the \
            interface really has, no matter who applied them. Dropped packets found the queue \
            full; lost packets were lost by the profile's loss. The rate is that of the last second.

            Inside a run, or with --pid of a process there or of linkcond run itself, it shows the \
            run's links. LATE is what one packet in a hundred exceeded: how much later than \
            scheduled the packet engine sent.

            Multipath TCP connections are shown with their paths, inside a run with --multipath, \
            or with --pid of a process there.

            It shows one network namespace: this one, or that of --netns, --pid or --container.

            Examples:
              linkcond status
              linkcond status --watch
              sudo linkcond status --container web
              linkcond status --json | jq '.conditioned[].interface'
            """)

    @Flag(
        help: """
            Print JSON, as Profiles/schema/status.schema.json describes it; with --watch on one \
            line each time.
            """)
    var json = false

    @Flag(help: "Print again every second and on every change, until Ctrl-C.")
    var watch = false

    @OptionGroup(title: "Whose interfaces") var target: TargetOptions

    @OptionGroup var global: GlobalOptions

    func run() throws {
        let console = global.console
        try target.enter(console, followsRuns: true)
        let planes = DataPlanes(environment: ProcessInfo.processInfo.environment)
        guard watch else {
            try console.print(try text(planes, console))
            return
        }
        let events = try NetlinkEvents()
        let redraws = isatty(STDOUT_FILENO) == 1 && !json
        while true {
            let text = try text(planes, console)
            try console.print(redraws ? Style.clearScreen + text : text)
            _ = try events.next(within: .seconds(1))
            // Changes come in groups: conditioning an interface causes thirty.
            usleep(100_000)
        }
    }

    private func text(_ planes: DataPlanes, _ console: Console) throws -> String {
        let conditioned = try planes.status() + RunService.links(isChosen: target.isGiven)
        let connections = try MultipathConnection.all()
        guard !json else {
            let status = StatusJSON(conditioned, connections)
            return try watch ? JSONText.line(of: status) : JSONText.text(of: status)
        }
        return [
            StatusTable.text(conditioned, isStyled: console.isStyled),
            MultipathTable.text(connections, isStyled: console.isStyled),
        ].filter { !$0.isEmpty }.joined(separator: "\n")
    }
}
