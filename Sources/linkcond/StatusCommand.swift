import ArgumentParser
import DataPlanes
import FoundationEssentials
import Glibc
import HostConditioning
import Multipath
import Netlink

/// `linkcond status`
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows what is conditioned, with live counters.",
        discussion: """
            The conditions are read from the kernel, or asked of the packet engine: they are what \
            the interface has, whoever applied them. Dropped packets found the queue full; lost ones fell to the profile's \
            loss. The rate is that of the last second.

            Connections of Multipath TCP are shown with their paths: inside a run with \
            --multipath, or with --pid of a process there.

            One network namespace is shown: this one, or that of --netns, --pid or --container.

            Examples:
              linkcond status
              linkcond status --watch
              sudo linkcond status --container web
              linkcond status --json | jq '.conditioned[].interface'
            """)

    @Flag(help: "Print JSON, as Profiles/schema/status.schema.json describes it.")
    var json = false

    @Flag(help: "Print again each second and on every change, until Ctrl-C.")
    var watch = false

    @OptionGroup(title: "Whose interfaces") var target: TargetOptions

    @OptionGroup var global: GlobalOptions

    func run() throws {
        let console = global.console
        try target.enter(console)
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
        let conditioned = try planes.status()
        let connections = try MultipathConnection.all()
        guard !json else {
            return try JSONText.text(
                of: StatusJSON(conditioned, connections))
        }
        return StatusTable.text(conditioned, isStyled: console.isStyled)
            + MultipathTable.text(connections, isStyled: console.isStyled)
    }
}
