import FoundationEssentials
import Glibc
import HTTPAPI
import HostAPI
import LinuxKernel
import NIOCore
import NIOPosix
import ProxyAPI
import ProxyControl
import Synchronization
import SystemPackage

/// Serves the HTTP API of a running proxy. `linkcond proxy --api` starts it; users need not.
@main
enum Program {
    private static let usage = """
        usage: linkcond-api --address HOST:PORT|unix:PATH [--token TOKEN]
        A helper of linkcond, which starts it with the proxy's connection as descriptor 3: see
        linkcond proxy --help. The token may be in the variable LINKCOND_API_TOKEN, too.
        """
    private static let proxy: CInt = 3

    static func main() async {
        StandardStreams.reserve()
        KernelThread.outliveBrokenPipes()
        let arguments = Array(Process.arguments)
        if arguments == ["--help"] {
            print(usage)
            exit(0)
        }
        if arguments.first == "panel" {
            guard let options = PanelOptions(Array(arguments.dropFirst())) else {
                fail(usage, code: 64)
            }
            return await run(at: options.address) { try await PanelProgram(options: options).run() }
        }
        var options: [String: String] = [:]
        for index in stride(from: 0, to: arguments.count, by: 2) {
            guard ["--address", "--token"].contains(arguments[index]), index + 1 < arguments.count
            else { fail(usage, code: 64) }
            options[arguments[index]] = arguments[index + 1]
        }
        guard let text = options["--address"] else { fail(usage, code: 64) }
        guard let address = APIAddress(text) else {
            fail(
                "\(text) is no address; write one such as 127.0.0.1:8474, [::1]:8474 or "
                    + "unix:/PATH", code: 64)
        }
        await run(at: address) {
            let variable = ProcessInfo.processInfo.environment["LINKCOND_API_TOKEN"]
            let token = options["--token"] ?? variable.flatMap { $0.isEmpty ? nil : $0 }
            try await serve(address, AccessPolicy(address: address, token: token))
        }
    }

    private static func run(at address: APIAddress, _ body: () async throws -> Void) async {
        do {
            try await body()
        } catch let error as TokenProblem {
            fail("\(error)", code: 64)
        } catch let error as PanelProblem {
            fail("\(error)", code: error.code)
        } catch SocketAddressError.unixDomainSocketPathTooLong {
            fail(
                "cannot open the API at \(address): the path of its socket has at most "
                    + "\(SocketFile.longestPath) bytes; choose a shorter one", code: 64)
        } catch let error as IOError {
            fail("cannot open the API at \(address): \(reason(error))", code: 69)
        } catch {
            fail("cannot open the API at \(address): \(error)", code: 69)
        }
    }

    private static func serve(_ address: APIAddress, _ access: AccessPolicy) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        // This program ends with the proxy: what a terminal tells both is the proxy's business.
        signal(SIGINT, SIG_IGN)
        let isOpen = Mutex(false)
        let overrides = OwnProgram.neighbour("linkcond").map {
            OverrideAPI(host: CommandLineHost(path: $0, on: group))
        }
        let (events, continuation) = AsyncStream.makeStream(of: ProxyReply.self)
        let connection = try await ControlConnection.adopt(
            proxy, on: group, onEvent: { continuation.yield($0) },
            onEnd: {
                // Another program's file may be there until then.
                if isOpen.withLock({ $0 }) { SocketFile.remove(address) }
                end(after: overrides)
            })
        let api = ControlAPI(proxy: connection, access: access) { request, path in
            try await overrides?.respond(to: request, path)
        }
        let clock = ContinuousClock()
        let start = clock.now
        let server = APIServer(RequestLimits()) { request, source in
            await api.respond(to: request, from: source, at: clock.now - start)
        }
        try await SocketFile.prepare(address, on: group)
        let channel = try await server.open(address, on: group)
        isOpen.withLock { $0 = true }
        var place = address
        if case .tcp(let host, let port) = address {
            place = .tcp(host: host, port: channel.localAddress?.port ?? port)
            complain("API on http://\(place)")
        } else {
            complain("API on \(place)")
        }
        try await api.start(at: place)
        for await event in events { api.receive(event) }
    }

    private static func end(after overrides: OverrideAPI?) {
        Task { () -> Void in
            await overrides?.end()
            exit(0)
        }
    }

    private static func reason(_ error: IOError) -> String {
        switch error.errnoCode {
        case EADDRINUSE: "another program listens there; choose another port, or 0 for any"
        case EADDRNOTAVAIL: "this host has no such address"
        case EACCES, EPERM: "no permission; choose a port above 1023, or another directory"
        case ENOENT: "its directory does not exist; make it, or choose another path"
        case ENOTDIR: "its path leads through a file; choose another path"
        case EROFS: "its file system is read-only; choose another directory"
        default: "\(Errno(rawValue: error.errnoCode))"
        }
    }

    private static func complain(_ text: String) {
        _ = try? FileDescriptor.standardError.writeAll("linkcond-api: \(text)\n".utf8)
    }

    private static func fail(_ text: String, code: Int32) -> Never {
        complain(text)
        exit(code)
    }
}
