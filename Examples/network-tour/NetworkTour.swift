import Foundation
import Network

/// Shows what Apple's Network does; the same source runs on Linux and on Apple's systems.
///
///     network-tour paths
///     network-tour listen tcp|udp PORT
///     network-tour talk tcp|udp|tls HOST PORT [RULE ...]
///
/// `paths` prints every path, as several monitors see it. `listen` sends back what it gets. `talk`
/// prints what happens to a connection, sends the lines that its user types, and prints the
/// answers; "restart", "path" and "bye" are commands. Rules are `no-expensive`, `no-constrained`,
/// `no-cellular`, `only-wifi` and `multipath`.
@main
enum NetworkTour {
    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        switch words.first {
        case "paths": await Paths().print()
        case "listen" where words.count == 3:
            guard let port = NWEndpoint.Port(words[2]), let echo = Echo(words[1], on: port) else {
                usage()
            }
            echo.start()
            while true { try? await Task.sleep(nanoseconds: .max / 2) }
        case "talk" where words.count > 3:
            guard let port = NWEndpoint.Port(words[3]), let parameters = parameters(words) else {
                usage()
            }
            await Talk(host: NWEndpoint.Host(words[2]), port: port, using: parameters).run()
        default: usage()
        }
    }

    /// The parameters for a protocol and rules.
    private static func parameters(_ words: [String]) -> NWParameters? {
        let parameters: NWParameters
        switch words[1] {
        case "tcp":
            let options = NWProtocolTCP.Options()
            (options.noDelay, options.enableKeepalive, options.keepaliveIdle) = (true, true, 30)
            parameters = NWParameters(tls: nil, tcp: options)
        case "udp": parameters = .udp
        case "tls": parameters = .tls
        default: return nil
        }
        for rule in words.dropFirst(4) {
            switch rule {
            case "no-expensive": parameters.prohibitExpensivePaths = true
            case "no-constrained": parameters.prohibitConstrainedPaths = true
            case "no-cellular": parameters.prohibitedInterfaceTypes = [.cellular]
            case "only-wifi": parameters.requiredInterfaceType = .wifi
            case "multipath": parameters.multipathServiceType = .handover
            default: return nil
            }
        }
        return parameters
    }

    private static func usage() -> Never {
        say("usage: network-tour paths")
        say("       network-tour listen tcp|udp PORT")
        say("       network-tour talk tcp|udp|tls HOST PORT [RULE ...]")
        exit(64)
    }
}

func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
