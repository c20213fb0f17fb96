import FoundationEssentials
import LinuxKernel
import ProxyProtocols
import SystemPackage
import Uplink

/// Looks up the addresses of one name, over the link and without making anyone else wait.
///
/// Theory of operation. It asks as the C library does: for both kinds of addresses at once, server
/// after server, and again; and for the names that the searched domains make of a short one.
final class NameLookup: EventTarget {
    /// Why there are no addresses.
    struct Failure: Error, Hashable {
        let reason: String
        /// Whether nobody has answered.
        let isSilent: Bool
    }

    private let context: EndpointContext
    private let files: ResolverFiles
    private var candidates: ArraySlice<String>
    private var completion: ((Result<[IPAddress], Failure>, Duration) -> Void)?
    private var round = 0
    private var socket: LookupSocket?
    private var token: UInt64 = 0
    private var timer: TimerQueue.Token?
    private var number: UInt16 = 0
    private var pending: Set<DNSMessage.AddressType> = []
    private var found: [DNSMessage.AddressType: [IPAddress]] = [:]
    private var hasAnswer = false

    init(
        _ name: String, _ files: ResolverFiles, _ context: EndpointContext,
        completion: @escaping (Result<[IPAddress], Failure>, Duration) -> Void
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
        let datagrams: [Datagram]
        do throws(Errno) {
            datagrams = try socket.datagrams.receive(into: &context.datagramRoom)
        } catch {
            // The server refuses: ask the next one.
            if error != .wouldBlock { askNext(at: now) }
            return
        }
        for datagram in datagrams {
            guard let answer = DNSMessage(datagram.payload), answer.isResponse,
                answer.identifier == number,
                let kind = DNSMessage.AddressType(rawValue: answer.type), pending.contains(kind)
            else { continue }
            // Another server may know more.
            guard [0, DNSMessage.Code.unknownName].contains(answer.code) else {
                return askNext(at: now)
            }
            hasAnswer = true
            pending.remove(kind)
            found[kind] = answer.addresses
        }
        if pending.isEmpty { finishCandidate(at: now) }
    }

    private func ask(at now: Duration) {
        close()
        guard let name = candidates.first, round < files.attempts * files.servers.count else {
            return finish(at: now)
        }
        let server = Endpoint(files.servers[round % files.servers.count], port: DNSMessage.port)
        number = UInt16.random(in: .min ... .max)
        pending = Set(DNSMessage.AddressType.allCases)
        found = [:]
        guard let reachable = context.reachable(server).first,
            let datagrams = try? DatagramSocket(connectedTo: reachable)
        else { return askNext(at: now) }
        let socket = LookupSocket(datagrams)
        do throws(Errno) {
            for kind in DNSMessage.AddressType.allCases {
                guard let question = DNSMessage.question(identifier: number, name: name, kind)
                else {
                    candidates.removeFirst()
                    return candidates.isEmpty ? finish(at: now) : ask(at: now)
                }
                try socket.datagrams.send(question)
            }
            token = try context.events.watch(socket.datagrams.descriptor, .level, for: self)
        } catch {
            return askNext(at: now)
        }
        self.socket = socket
        timer = context.timers.add(at: now + files.timeout) { [weak self] now in
            self?.timer = nil
            self?.askNext(at: now)
        }
    }

    private func askNext(at now: Duration) {
        // Half an answer is one.
        if found.values.contains(where: { !$0.isEmpty }) { return finishCandidate(at: now) }
        round += 1
        ask(at: now)
    }

    private func finishCandidate(at now: Duration) {
        close()
        if found.values.contains(where: { !$0.isEmpty }) { return finish(at: now) }
        candidates.removeFirst()
        round = 0
        if candidates.isEmpty { finish(at: now) } else { ask(at: now) }
    }

    private func finish(at now: Duration) {
        close()
        guard let completion else { return }
        self.completion = nil
        // IPv4 first, as the C library sorts them for a host with addresses of a private network.
        let addresses = DNSMessage.AddressType.allCases.flatMap { found[$0] ?? [] }
        guard addresses.isEmpty else { return completion(.success(addresses), now) }
        let failure =
            hasAnswer
            ? Failure(reason: "there is no such host", isSilent: false)
            : Failure(
                reason: "no name server has answered "
                    + "(\(files.servers.map(\.description).joined(separator: ", ")))",
                isSilent: true)
        completion(.failure(failure), now)
    }

    private func close() {
        if let timer { context.timers.cancel(timer) }
        timer = nil
        guard socket != nil else { return }
        context.events.forget(token)
        socket = nil
    }
}

/// Holds the socket, which an optional property cannot.
private final class LookupSocket {
    let datagrams: DatagramSocket

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
