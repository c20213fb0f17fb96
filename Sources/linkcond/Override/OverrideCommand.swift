import ArgumentParser

/// `linkcond override`
struct OverrideCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "override",
        abstract: "Tells apps that an interface is expensive, constrained, or preferred.",
        discussion: """
            An override tells; it shapes no traffic. It is kept in the kernel with the interface, \
            as a token at the end of its alias (ip link), and vanishes with it. Swift apps see it \
            by the library NetworkPath, programs in any language by linkcond path. In a sandbox \
            of linkcond run the command may set overrides as well.

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
