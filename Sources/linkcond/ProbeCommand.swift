public import ArgumentParser
public import LinuxKernel
import Verification

extension IPAddress: ExpressibleByArgument {}

/// `linkcond probe`: one end of a measurement; `verify` starts it on both sides of the link.
struct ProbeCommand: ParsableCommand {
    /// The ends of the link.
    enum Role: String, CaseIterable, ExpressibleByArgument {
        case app, far
    }

    static let configuration = CommandConfiguration(
        commandName: "probe", abstract: "Measures a link from one of its ends.",
        discussion: """
            Example:
              linkcond probe --role app --peer 192.0.2.2 --directory measurement
            """, shouldDisplay: false)

    @Option(help: "Which end this is.")
    var role: Role

    @Option(help: "The IPv4 address of the other end.")
    var peer: IPAddress

    @Option(name: .customLong("peer-ipv6"), help: "The IPv6 address of the other end.")
    var peerIPv6: IPAddress

    @Option(help: "The directory of the plan and the report.")
    var directory: String

    func run() throws {
        var probe = try Probe(
            role == .app ? .app : .far, peer: (peer, peerIPv6),
            place: Rendezvous(directory: directory))
        try probe.run()
    }
}
