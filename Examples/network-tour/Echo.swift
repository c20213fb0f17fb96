import Foundation
import Network

/// A server that sends back what it gets.
final class Echo: Sendable {
    private let listener: NWListener
    private let queue = DispatchQueue(label: "echo")

    init?(_ name: String, on port: NWEndpoint.Port) {
        let parameters: NWParameters = name == "udp" ? .udp : .tcp
        parameters.allowLocalEndpointReuse = true
        guard ["tcp", "udp"].contains(name),
            let listener = try? NWListener(using: parameters, on: port)
        else { return nil }
        self.listener = listener
    }

    func start() {
        listener.stateUpdateHandler = { [listener] state in
            switch state {
            case .ready: say("listening on \(listener.port?.rawValue ?? 0)")
            case .failed(let error):
                say("failed: \(error)")
                exit(1)
            default: say("\(state)")
            }
        }
        listener.newConnectionHandler = { [queue] connection in
            say("connection from \(connection.endpoint)")
            connection.start(queue: queue)
            Self.answer(connection)
        }
        listener.start(queue: queue)
    }

    private static func answer(_ connection: NWConnection) {
        connection.receive(minimumIncompleteLength: 1, maximumLength: 65_536) {
            content, context, isComplete, error in
            // The end of a stream; a datagram is complete as well, but not the last one.
            let isLast = isComplete && (context?.isFinal ?? true)
            connection.send(
                content: content, contentContext: isLast ? .finalMessage : .defaultMessage,
                completion: .contentProcessed { failure in
                    if isLast || error != nil || failure != nil {
                        connection.cancel()
                    } else {
                        answer(connection)
                    }
                })
        }
    }
}
