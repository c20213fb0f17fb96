import Foundation
import LinkTesting
import Network
import Testing

/// Connections and listeners on the loopback, with other programs at the other end.
@Suite("Connections and listeners", .timeLimit(.minutes(2))) struct ConnectionTests {
    private static let local = NWEndpoint.Host("127.0.0.1")

    private static let server = """
        server = socket.create_server(("127.0.0.1", 0))
        ready(server.getsockname()[1])
        peer, _ = server.accept()

        """

    @Test func `a stream goes both ways and ends both ways`() async throws {
        let script = """
            peer.sendall(b"welcome")
            peer.shutdown(socket.SHUT_WR)
            text = b""
            while part := peer.recv(100): text += part
            print(text.decode())
            """
        let output = try await python(Self.server + script) { port in
            let connection = NWConnection(host: Self.local, port: port, using: .tcp)
            // Before it is ready, as apps do.
            async let all = connection.receiveAll()
            async let sent: Void = connection.send("hello ")
            let states = connection.startRecording()
            #expect(try await all == "welcome")
            try await sent
            await #expect(throws: NWError.posix(.ENODATA)) { try await connection.receive() }
            try await connection.send("world", .finalMessage)
            await #expect(throws: NWError.posix(.EPIPE)) { try await connection.send("more") }
            connection.cancel()
            _ = await states.first { $0 == .cancelled }
            #expect(states.events == [.preparing, .ready, .cancelled])
            await #expect(throws: NWError.posix(.ECANCELED)) { try await connection.send("late") }
        }
        #expect(output == "hello world\n")
    }

    @Test func `a reset fails the connection, after what arrived`() async throws {
        let script = """
            import struct
            peer.sendall(b"last words")
            peer.recv(1)
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            peer.close()
            """
        _ = try await python(Self.server + script) { port in
            let connection = NWConnection(host: Self.local, port: port, using: .tcp)
            let states = connection.startRecording()
            #expect(try await connection.receive().text == "last words")
            try await connection.send("x")
            await #expect(throws: NWError.posix(.ECONNRESET)) { try await connection.receive() }
            let last = await states.first { $0 != .preparing && $0 != .ready }
            #expect(last == .failed(.posix(.ECONNRESET)))
        }
    }

    @Test func `nothing is read that nobody asks for`() async throws {
        try await withTemporaryDirectory { directory in
            let sign = directory.path + "/end"
            let script = """
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
                peer.settimeout(1)
                sent = 0
                try:
                    while sent < 50_000_000: sent += peer.send(bytes(65536))
                except TimeoutError: print("held up")
                open("\(sign)", "w").close()
                """
            let output = try await python(Self.server + script) { port in
                let connection = NWConnection(host: Self.local, port: port, using: .tcp)
                _ = connection.startRecording()
                #expect(try await !connection.receive().text.isEmpty)
                try await waitForFile(sign)
                connection.forceCancel()
            }
            #expect(output == "held up\n")
        }
    }

    /// Another process has the port, so that no copy of this one keeps it open.
    @Test func `a refused connection waits, and restarts`() async throws {
        try await withTemporaryDirectory { directory in
            let sign = directory.path + "/listen"
            let script = """
                import time
                server = socket.socket()
                server.bind(("127.0.0.1", 0))
                ready(server.getsockname()[1])
                while not os.path.exists("\(sign)"): time.sleep(0.01)
                server.listen()
                server.accept()
                """
            _ = try await python(script) { port in
                let connection = NWConnection(host: Self.local, port: port, using: .tcp)
                let states = connection.startRecording()
                _ = await states.first { $0 != .preparing }
                try Data().write(to: URL(filePath: sign))
                while connection.state != .ready {
                    connection.restart()
                    try await Task.sleep(for: .milliseconds(10))
                }
                _ = await states.first { $0 == .ready }
                let refused = NWConnection.State.waiting(.posix(.ECONNREFUSED))
                #expect(states.events.starts(with: [.preparing, refused, .preparing]))
                #expect(states.events.allSatisfy { [.preparing, refused, .ready].contains($0) })
                connection.cancel()
            }
        }
    }

    @Test func `curl is served, and a second listener finds the port taken`() async throws {
        let server = try TestListener(.tcp)
        let port = try await server.port()
        let taken = try TestListener(.tcp, on: port)
        await #expect(throws: TestListener.ListenerFailure.self) { try await taken.port() }
        #expect(taken.listener.state == .failed(.posix(.EADDRINUSE)))
        async let result = runProcess("curl", ["-sS", "http://127.0.0.1:\(port)/x"])
        let connection = try #require(await server.connections.first { _ in true })
        _ = connection.startRecording()
        #expect(try await connection.receive().text.hasPrefix("GET /x HTTP/1.1\r\n"))
        try await connection.send("HTTP/1.0 200 OK\r\n\r\nhello", .finalMessage)
        let printed = try await result.standardOutput
        #expect(printed == "hello")
        #expect(try await connection.receive().isComplete)
        connection.cancel()
        server.listener.cancel()
    }

    @Test func `a listener accepts as many as its limit permits`() async throws {
        let server = try TestListener(.tcp)
        let port = try await server.port()
        server.listener.newConnectionLimit = 1
        let clients = (0..<2).map { _ in
            NWConnection(host: Self.local, port: port, using: .tcp)
        }
        for client in clients {
            _ = await client.startRecording().first { $0 == .ready }
        }
        _ = await server.connections.first { _ in true }
        #expect(server.listener.newConnectionLimit == 0)
        #expect(server.connections.events.count == 1)
        server.listener.newConnectionLimit = 5
        _ = await server.connections.first { _ in true }
        #expect(server.listener.newConnectionLimit == 4)
        for client in clients { client.cancel() }
        server.listener.cancel()
    }

    @Test func `those for whom the limit has no room wait, and not all of them`() async throws {
        let script = """
            import select, time
            peers, resets = [], 0
            for _ in range(150):
                try: peers.append(socket.create_connection(("127.0.0.1", PORT)))
                except ConnectionResetError: resets += 1
            # A reset makes a socket readable.
            count = lambda: resets + len(select.select(peers, [], [], 0)[0])
            while count() < 22: time.sleep(0.01)
            time.sleep(0.5)
            print(count())
            ready(1)
            """
        let server = try TestListener(.tcp)
        server.listener.newConnectionLimit = 0
        let port = try await server.port()
        let output = try await python(script.replacing("PORT", with: "\(port)")) { _ in }
        #expect(output == "22\n")
        #expect(server.connections.events.isEmpty)
        server.listener.cancel()
    }

    @Test func `a listener without a handler fails`() async throws {
        let listener = try NWListener(using: .tcp)
        let states = Events<NWListener.State>()
        listener.stateUpdateHandler = { states.add($0) }
        listener.start(queue: .global())
        #expect(await states.first { _ in true } == .failed(.posix(.EINVAL)))
    }

    @Test func `datagrams go both ways, one connection for each peer`() async throws {
        let script = """
            sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
            for number, each in enumerate(sockets):
                each.connect(("127.0.0.1", PORT))
                each.send(b"from %d" % number)
                each.send(b"again %d" % number)
            for each in sockets:
                print(each.recv(100).decode())
            ready(1)
            """
        let server = try TestListener(.udp)
        let port = try await server.port()
        async let output = python(script.replacing("PORT", with: "\(port)")) { _ in }
        for number in 0..<2 {
            let connection = try #require(await server.connections.first { _ in true })
            _ = connection.startRecording()
            #expect(try await connection.receiveAll() == "from \(number)")
            let again = try await connection.receive()
            #expect(again == ("again \(number)", true))
            try await connection.send("to \(number)")
            connection.cancel()
        }
        let printed = try await output
        #expect(printed == "to 0\nto 1\n")
        server.listener.cancel()
    }

    @Test func `a connection over UDP sends datagrams as they are`() async throws {
        let script = """
            server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            server.bind(("127.0.0.1", 0))
            ready(server.getsockname()[1])
            for _ in range(3):
                data, peer = server.recvfrom(100)
                server.sendto(data.upper(), peer)
            """
        _ = try await python(script) { port in
            let connection = NWConnection(host: Self.local, port: port, using: .udp)
            _ = connection.startRecording()
            for text in ["one", "two", "three"] {
                connection.send(content: Data(text.utf8), completion: .idempotent)
                let answer = try await connection.receiveAll()
                #expect(answer == text.uppercased())
            }
            #expect(connection.maximumDatagramSize > 1200)
            connection.cancel()
        }
    }

    @Test func `what cannot be had fails honestly`() async throws {
        let endpoints: [(NWEndpoint, NWParameters)] = [
            (.hostPort(host: Self.local, port: 1), .dtls),
            (.service(name: "a", type: "_b._tcp", domain: "", interface: nil), .tcp),
        ]
        for (endpoint, parameters) in endpoints {
            let states = NWConnection(to: endpoint, using: parameters).startRecording()
            #expect(await states.first { _ in true } == .failed(.posix(.EOPNOTSUPP)))
        }
    }
}
