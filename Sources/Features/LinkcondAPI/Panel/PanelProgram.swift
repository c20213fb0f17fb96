import FoundationEssentials
import Glibc
import HTTPAPI
import HostAPI
import LinuxKernel
import NIOCore
import NIOPosix
import SystemPackage

/// Serves the panel and the API of a host: `linkcond serve` becomes this.
struct PanelProgram {
    /// What systemd passes (sd_listen_fds(3)).
    private static let firstPassedSocket: CInt = 3

    let options: PanelOptions

    /// Serves until it is killed.
    func run() async throws -> Never {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let environment = ProcessInfo.processInfo.environment
        guard case .tcp(let host, let port) = options.address else {
            throw PanelProblem(description: "the panel is for browsers, which need a TCP port")
        }
        let programToken = environment["LINKCOND_API_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
        // The same rules as for the proxy's.
        _ = try AccessPolicy(address: .tcp(host: "localhost", port: port), token: programToken)
        let tls = try options.certificate.map { try $0.context }
        let responder = Responder()
        let server = APIServer(RequestLimits(), tls: tls) { request, source in
            await responder.respond(request, source)
        }
        let channel = try await open(server, group, environment)
        let actualPort = channel.localAddress?.port ?? port
        let file = SessionFile(port: actualPort)
        let access = PanelAccess(
            names: options.hostNames.union([host, hostName]), isEncrypted: tls != nil,
            programToken: programToken, sessions: file.sessions, save: { file.save($0) })
        let address =
            "\(tls == nil ? "http" : "https")://"
            + "\(APIAddress.tcp(host: shownHost(host), port: actualPort))"
        let clock = ContinuousClock()
        let start = clock.now
        let api = HostAPI(
            host: CommandLineHost(path: options.program, on: group), access: access,
            about: HostDescription(
                name: hostName, version: options.version, mayChange: Privilege.mayChangeNetwork),
            address: address, date: { Int64(Date().timeIntervalSince1970) })
        responder.begin { request, source in
            await api.respond(to: request, from: source, at: clock.now - start)
        }
        let messages = options.messages.map { "\($0)\n" }.joined()
        _ = try? FileDescriptor.standardError.writeAll(messages.utf8)
        let line = "\(address)/login?token=\(access.makeToken())\n"
        _ = try? FileDescriptor.standardOutput.writeAll(line.utf8)
        try await channel.closeFuture.get()
        exit(0)
    }

    private func open(
        _ server: APIServer, _ group: any EventLoopGroup, _ environment: [String: String]
    ) async throws -> any Channel {
        let isPassed =
            environment["LISTEN_PID"] == "\(getpid())" && environment["LISTEN_FDS"] == "1"
        guard isPassed else { return try await server.open(options.address, on: group) }
        return try await server.adopt(Self.firstPassedSocket, on: group)
    }

    private var hostName: String {
        (try? SmallFile.read("/proc/sys/kernel/hostname"))?
            .trimmingCharacters { $0.isWhitespace } ?? "localhost"
    }

    /// An address that a browser can open, where any is listened to.
    private func shownHost(_ host: String) -> String {
        ["0.0.0.0", "::"].contains(host) ? hostName : host
    }
}

/// Why the panel cannot be served as asked for.
struct PanelProblem: Error, CustomStringConvertible {
    let description: String
    /// The exit code.
    var code: Int32 = 64
}

extension String {
    fileprivate func trimmingCharacters(_ isStray: (Character) -> Bool) -> String {
        String(drop(while: isStray).reversed().drop(while: isStray).reversed())
    }
}
