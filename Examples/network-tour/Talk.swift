import Foundation
import Network

/// A connection, and everything that is told about it.
final class Talk: Sendable {
    private let connection: NWConnection
    private let queue = DispatchQueue(label: "talk")

    init(host: NWEndpoint.Host, port: NWEndpoint.Port, using parameters: NWParameters) {
        connection = NWConnection(host: host, port: port, using: parameters)
    }

    /// Sends what is typed until "bye", the end of the input, or the end of the connection.
    func run() async {
        connection.viabilityUpdateHandler = { say($0 ? "viable" : "not viable") }
        connection.betterPathUpdateHandler = { say($0 ? "better path" : "no better path") }
        let ended = AsyncStream<Void> { continuation in
            connection.stateUpdateHandler = { [connection] state in
                switch state {
                case .setup: say("setup")
                case .waiting(let error): say("waiting: \(error)")
                case .preparing: say("preparing")
                case .ready:
                    let name = connection.currentPath?.availableInterfaces.first?.name
                    say("ready over \(name ?? "nothing")")
                case .failed(let error):
                    say("failed: \(error)")
                    continuation.finish()
                case .cancelled:
                    say("cancelled")
                    continuation.finish()
                @unknown default: say("unknown")
                }
            }
        }
        connection.start(queue: queue)
        receive()
        Thread.detachNewThread { [self] in
            while let line = readLine(), line != "bye" { type(line) }
            connection.cancel()
        }
        for await _ in ended {}
    }

    private func type(_ line: String) {
        switch line {
        case "restart": connection.restart()
        case "path": say(connection.currentPath.map { "\($0)" } ?? "no path")
        default:
            connection.send(
                content: Data((line + "\n").utf8),
                completion: .contentProcessed { error in
                    if let error { say("not sent: \(error)") }
                })
        }
    }

    private func receive() {
        connection.receive(minimumIncompleteLength: 1, maximumLength: 65_536) {
            [self] content, context, isComplete, error in
            if let content, !content.isEmpty {
                say("received \(String(decoding: content, as: UTF8.self).dropLast())")
            }
            if let error { return say("no more: \(error)") }
            guard !(isComplete && context?.isFinal ?? true) else { return say("end") }
            receive()
        }
    }
}
