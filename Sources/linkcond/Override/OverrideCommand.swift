import ArgumentParser

/// `linkcond override`
struct OverrideCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "override",
        abstract: "Tells apps that an interface is expensive, constrained, or preferred.",
        discussion: """
            An override shapes no traffic. The kernel stores it with the interface, as a token at \
            the end of its alias (ip link), and it disappears with the interface. Swift apps read \
            it with the library NetworkPath, other programs with linkcond path. In a sandbox of \
            linkcond run the command can set overrides, too.

            Examples:
              sudo linkcond override set --expensive --constrained --for 10m
              sudo linkcond override set -i wlan0 --kind hotspot
              sudo linkcond override set -i wwan0 --prefer
              linkcond override show
              sudo linkcond override clear
            """,
        subcommands: [
            OverrideSetCommand.self, OverrideClearCommand.self, OverrideShowCommand.self,
        ])
}
