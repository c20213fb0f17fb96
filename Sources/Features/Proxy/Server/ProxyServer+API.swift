import LinkModel
import LinuxKernel
import SystemPackage

/// The program that serves the API, which the proxy starts again if it ends.
final class ServedAPI {
    /// The address that was asked for.
    let address: String
    /// The address with the port that it got; nil until it is open.
    var openAddress: String?
    var process: Int32?
    /// How it ended last.
    var end: ProcessEnd?
    /// When it ended before, unless that was long ago.
    var ends: [Duration] = []
    /// When it is to be started again.
    var restart: Duration?

    /// The pauses until it starts again, and the time within which it may end as often.
    static let pauses = [0, 500, 2000].map(Duration.milliseconds)
    static let forgets = Duration.seconds(60)

    init(address: String) { self.address = address }
}

extension ProxyServer {
    /// Starts the API, and waits until its socket is open.
    func startAPI() throws {
        guard let address = plan.api else { return }
        let api = ServedAPI(address: address)
        try start(api)
        self.api = api
        // It says why if its socket cannot be opened.
        while api.openAddress == nil, api.end == nil, exitCode == nil {
            turn(atMost: nil)
            if let problem { throw problem }
        }
        guard let end = api.end, api.openAddress == nil else { return }
        throw ProxyError(
            "\(address): the API cannot be served; the reason stands above",
            status: .init(rawValue: end.shellCode) ?? .unavailable)
    }

    private func start(_ api: ServedAPI) throws {
        let name = "linkcond-api"
        guard let path = OwnProgram.neighbour(name) else {
            throw ProxyError(
                "--api is served by the program \(name), which is not installed beside this one; "
                    + "build it with: swift build --product \(name)", status: .unavailable)
        }
        let (own, other) = try LocalStream.pair()
        var program = Program(
            path, ["--address", api.openAddress ?? api.address] + plan.apiArguments)
        // It ends with the connection, and then removes its socket: the kernel must not kill it before.
        program.streams = [nil, nil, nil, other]
        do {
            api.process = try program.start()
        } catch {
            throw ProxyError("\(path): cannot be started: \(error.errno)", status: .unavailable)
        }
        try other.close()
        try connect(to: own)
    }

    /// The API's program has ended, which it should not before this one.
    func apiEnded(_ api: ServedAPI, _ end: ProcessEnd) {
        (api.process, api.end) = (nil, end)
        guard exitCode == nil, api.openAddress != nil else { return }
        let reason = "the API's program ended (\(end.text))"
        api.ends = api.ends.filter { now - $0 < ServedAPI.forgets } + [now]
        guard api.ends.count <= ServedAPI.pauses.count else {
            problem = ProxyError("\(reason), again and again", status: .unavailable)
            return
        }
        api.restart = now + ServedAPI.pauses[api.ends.count - 1]
        note("\(reason); it is started again")
    }

    /// How long until the API's program is to be started again; nil: it need not be.
    var untilAPIStarts: Duration? { api?.restart.map { max(.zero, $0 - now) } }

    /// Starts the API's program again if it is time.
    func restartAPI() {
        guard let api, let restart = api.restart, restart <= now else { return }
        api.restart = nil
        do {
            try start(api)
        } catch {
            problem =
                error as? ProxyError
                ?? ProxyError("the API's program cannot be started: \(error)", status: .unavailable)
        }
    }
}
