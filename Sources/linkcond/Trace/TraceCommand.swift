import ArgumentParser

/// `linkcond trace`
struct TraceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Generates, records and shows delivery traces (variable bandwidth).",
        discussion: """
            A delivery trace has one line for each time, in milliseconds, at which 1500 bytes can \
            pass, as in mahimahi's format; at its end it starts again. A profile names one per \
            direction instead of a bandwidth:

              name: Train
              interface: cellular
              down: { trace: train.down, delay: 30 ms }
              up:   { trace: train.up, delay: 30 ms }

            The packet engine plays it.

            Examples:
              linkcond trace generate cellular --seed 7 --mean 12Mbit/s --output train.down
              linkcond trace show train.down
              sudo linkcond trace record home -- curl -O https://example.com/large-file
            """,
        subcommands: [
            TraceGenerateCommand.self, TraceRecordCommand.self, TraceShowCommand.self,
        ])
}
