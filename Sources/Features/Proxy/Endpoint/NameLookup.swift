import FoundationEssentials
import LinuxKernel
import ProxyProtocols
import SystemPackage
import Uplink

/// Looks up the addresses of one name, over the link and without making anyone else wait.
///
/// Theory of operation. It asks as the C library does: for both kinds of addresses at once, server
/// after server, and again; and for the names that the searched domains make of a short one. Where a
/// server's answer has no room in a datagram, it asks that server by TCP. The server's time limit is for
/// both ways together.
final class NameLookup: EventTarget {
    private let context: EndpointContext
    private let files: ResolverFiles
    private var candidates: ArraySlice<String>
    private var completion: ((Result<[IPAddress], NameFailure>, Duration) -> Void)?
    private var round = 0
    private var question: NameQuestion?
    private var server: Endpoint?
    private var socket: LookupSocket?
    private var streams: [NameQuestion.Kind: NameStreamQuestion] = [:]
    private var timer: TimerQueue.Token?
    private var problems: [NameProblem] = []
    private var hasAnswer = false

    init(
        _ name: String, _ files: ResolverFiles, _ context: EndpointContext,
        completion: @escaping (Result<[IPAddress], NameFailure>, Duration) -> Void
    ) {
        self.context = context
        self.files = files
        self.completion = completion
        candidates = files.candidates(for: name)[...]
    }

    /// Asks the first question.
    func start(at now: Duration) { ask(at: now) }

    /// Asks no more, and tells nobody.
    func cancel() {
        completion = nil
        close()
    }

    func handle(_ event: EventQueue.Event, at now: Duration) {
        guard let socket else { return }
        do throws(Errno) {
            for datagram in try socket.datagrams.receive(into: &context.datagramRoom) {
                if let kind = question?.take(datagram: datagram.payload) { askByStream(kind) }
            }
        } catch {
            if error != .wouldBlock { question?.refuseDatagrams() }
        }
        if question?.awaitsDatagrams == false { closeDatagrams() }
        if question?.isOver == true { finishQuestion(at: now) }
    }

    // MARK: One server

    private func ask(at now: Duration) {
        close()
        guard let name = candidates.first, round < files.attempts * files.servers.count else {
            return finish([], at: now)
        }
        let named = Endpoint(files.servers[round % files.servers.count], port: DNSMessage.port)
        server = context.reachable(named).first
        question = NameQuestion(name, identifier: UInt16.random(in: .min ... .max))
        // Nobody can be asked for such a name.
        guard let question else { return askForNextName(at: now) }
        do throws(Errno) {
            try send(question.datagrams)
        } catch {
            return finishQuestion(at: now)
        }
        timer = context.timers.add(at: now + files.timeout) { [weak self] now in
            self?.timer = nil
            self?.finishQuestion(at: now)
        }
    }

    private func send(_ datagrams: [[UInt8]]) throws(Errno) {
        guard let server else { throw .addressNotAvailable }
        let socket = LookupSocket(try DatagramSocket(connectedTo: server))
        for datagram in datagrams { try socket.datagrams.send(datagram) }
        socket.token = try context.events.watch(socket.datagrams.descriptor, .level, for: self)
        self.socket = socket
    }

    private func askByStream(_ kind: NameQuestion.Kind) {
        guard let server, let message = question?.stream(for: kind) else { return }
        do throws(Errno) {
            streams[kind] = try NameStreamQuestion(message, to: server, context) {
                [weak self] answer, now in
                guard let self else { return }
                self.streams[kind] = nil
                self.question?.take(streamed: answer, to: kind)
                if self.question?.isOver == true { self.finishQuestion(at: now) }
            }
        } catch {
            question?.take(streamed: nil, to: kind)
        }
    }

    private func finishQuestion(at now: Duration) {
        guard let question else { return }
        hasAnswer = hasAnswer || question.hasAnswer
        switch question.outcome {
        case .addresses(let addresses): finish(addresses, at: now)
        case .unknown:
            problems = []
            askForNextName(at: now)
        case .failed(let problems):
            self.problems += problems
            round += 1
            ask(at: now)
        }
    }

    // MARK: All servers

    private func askForNextName(at now: Duration) {
        candidates.removeFirst()
        round = 0
        ask(at: now)
    }

    private func finish(_ addresses: [IPAddress], at now: Duration) {
        close()
        guard let completion else { return }
        self.completion = nil
        guard addresses.isEmpty else { return completion(.success(addresses), now) }
        let failure = NameFailure(problems, hasAnswer: hasAnswer, servers: files.servers.count)
        completion(.failure(failure), now)
    }

    private func close() {
        if let timer { context.timers.cancel(timer) }
        timer = nil
        question = nil
        for stream in streams.values { stream.cancel() }
        streams = [:]
        closeDatagrams()
    }

    private func closeDatagrams() {
        guard let socket else { return }
        context.events.forget(socket.token)
        self.socket = nil
    }
}

/// Holds the socket, which an optional property cannot.
private final class LookupSocket {
    let datagrams: DatagramSocket
    var token: UInt64 = 0

    init(_ datagrams: consuming DatagramSocket) { self.datagrams = datagrams }
}

/// Reads the files of names, which may change while the proxy runs, at most once a second.
final class NameFiles {
    private var files: ResolverFiles?
    private var time = Duration.zero
    private static let lifetime = Duration.seconds(1)

    /// What they say now.
    func current(at now: Duration) -> ResolverFiles {
        if let files, now - time < Self.lifetime { return files }
        let read = ResolverFiles(
            configuration: Self.text("/etc/resolv.conf"), hosts: Self.text("/etc/hosts"))
        (files, time) = (read, now)
        return read
    }

    static func text(_ path: String) -> String {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
