import ArgumentParser
import Proxy

/// `linkcond proxy-link`: the process of a link, started by `proxy`.
struct ProxyLinkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy-link", abstract: "Makes the link of a proxy.",
        discussion: """
            Example:
              linkcond proxy LTE --socks 127.0.0.1:1080
            """, shouldDisplay: false)

    func run() throws { try ProxyLink.run() }
}

/// `linkcond proxy-endpoint`: the process at the app's end of a link, started by `proxy-link`.
struct ProxyEndpointCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy-endpoint", abstract: "Serves the listeners of a proxy.",
        discussion: """
            Example:
              linkcond proxy LTE --socks 127.0.0.1:1080
            """, shouldDisplay: false)

    func run() throws { try ProxyEndpoint.run() }
}
