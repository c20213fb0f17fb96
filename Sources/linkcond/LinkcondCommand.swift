import ArgumentParser

/// The command line: parse, call one function of a feature module, print, exit code.
struct LinkcondCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "linkcond",
        abstract: "Simulates the network conditions of a profile for apps on Linux.",
        discussion: """
            Examples:
              linkcond list
              linkcond run LTE -- curl -O http://host.linkcond:8000/file
              sudo linkcond apply LTE
              linkcond status
              sudo linkcond clear
            """,
        version: "linkcond \(ProgramVersion.current)",
        subcommands: [
            ListCommand.self, ShowCommand.self, ImportCommand.self, RunCommand.self,
            ProxyCommand.self, MatrixCommand.self, BisectCommand.self, ApplyCommand.self,
            PlayCommand.self, StatusCommand.self, ClearCommand.self, GatewayCommand.self,
            OverrideCommand.self, PathCommand.self, TraceCommand.self, ExplainCommand.self,
            LearnCommand.self, ServeCommand.self, ServeFeedCommand.self, VerifyCommand.self,
            DoctorCommand.self, SchemaCommand.self, ProbeCommand.self, EngineCommand.self,
            WatchCommand.self, ProxyLinkCommand.self, ProxyEndpointCommand.self,
        ])
}
