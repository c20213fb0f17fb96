import ArgumentParser
import Sandbox
import Uplink

/// Options for the network of a run.
struct NetworkOptions: ParsableArguments {
    @Option(
        name: .customLong("publish"),
        help: ArgumentHelp(
            "Let a port of this host lead to one of the command.",
            more: "Through the link, to a server there: 8080:80, 127.0.0.1:5353:53/udp; may be "
                + "given several times.",
            valueName: "[address:]port:port"),
        transform: Self.port)
    var publishedPorts: [PublishedPort] = []

    @Option(
        name: .customLong("tcp"),
        help: ArgumentHelp(
            "The congestion control, such as bbr.",
            more:
                "For the run's TCP on both sides of the link: cubic, bbr, reno or another of this "
                + "kernel. Default: this host's.", valueName: "name"),
        completion: .congestionControls,
        transform: Self.congestionControl)
    var congestionControl: CongestionControl?

    @Flag(
        name: .customLong("map-root"),
        help: ArgumentHelp(
            "Make the command root over the run's networks.",
            more: "Without root, and over nothing else."))
    var mapsRoot = false

    func validate() throws {
        for (index, port) in publishedPorts.enumerated() {
            guard let former = publishedPorts[..<index].first(where: port.collides) else {
                continue
            }
            throw ValidationError(
                "--publish \(former) and --publish \(port) want the same port of this host; choose "
                    + "another for one of them")
        }
    }

    private static func congestionControl(_ text: String) throws -> CongestionControl {
        guard let found = CongestionControl(text) else {
            throw ValidationError(
                "\"\(text)\" is not the name of a congestion control; write one such as cubic, bbr "
                    + "or reno")
        }
        return found
    }

    private static func port(_ text: String) throws -> PublishedPort {
        guard let port = PublishedPort(text) else {
            throw ValidationError(
                "\"\(text)\" names no ports; write the host's port and the command's, such as "
                    + "8080:80, for UDP 5353:53/udp, with an address of this host "
                    + "0.0.0.0:8080:80")
        }
        return port
    }
}
