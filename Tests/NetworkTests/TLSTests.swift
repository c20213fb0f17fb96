import Foundation
import LinkTesting
import Network
import Testing

/// TLS with other programs at the other end.
@Suite("Connections over TLS", .timeLimit(.minutes(2))) struct TLSTests {
    /// Makes a certificate for localhost that signs itself.
    private func withCertificate(
        _ body: (_ certificate: String, _ key: String) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let (certificate, key) = (directory.path + "/cert.pem", directory.path + "/key.pem")
            let result = try await runProcess(
                "openssl",
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                    "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
                ])
            #expect(result.exitCode == 0, "\(result.standardError)")
            try await body(certificate, key)
        }
    }

    private func listener(_ certificate: String, _ key: String) throws -> TestListener {
        let options = NWProtocolTLS.Options()
        let identity = try SecIdentity(
            certificateChain: URL(filePath: certificate), privateKey: URL(filePath: key))
        sec_protocol_options_set_local_identity(
            options.securityProtocolOptions, try #require(sec_identity_create(identity)))
        return try TestListener(NWParameters(tls: options))
    }

    @Test func `curl trusts a listener whose certificate it knows`() async throws {
        try await withCertificate { certificate, key in
            let server = try listener(certificate, key)
            let port = try await server.port()
            async let result = runProcess(
                "curl", ["-sS", "--cacert", certificate, "https://localhost:\(port)/"])
            let connection = try #require(await server.connections.first { _ in true })
            _ = connection.startRecording()
            #expect(try await connection.receive().text.hasPrefix("GET / HTTP/1.1\r\n"))
            try await connection.send(
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", .finalMessage)
            let printed = try await result.standardOutput
            #expect(printed == "hello")
            connection.cancel()
            server.listener.cancel()
        }
    }

    @Test func `a client trusts what its block or the trust store trusts, and nothing else`()
        async throws
    {
        try await withCertificate { certificate, key in
            let server = try listener(certificate, key)
            let port = try await server.port()
            let serving = Task {
                while let connection = await server.connections.first(where: { _ in true }) {
                    _ = connection.startRecording()
                    connection.send(
                        content: Data("hello\n".utf8), contentContext: .finalMessage,
                        completion: .contentProcessed { _ in connection.cancel() })
                }
            }
            let stranger = NWConnection(host: "localhost", port: port, using: .tls)
            let states = stranger.startRecording()
            let end = await states.first { $0 != .preparing }
            #expect(end == .failed(.tls(errSSLXCertChainInvalid)))

            let options = NWProtocolTLS.Options()
            sec_protocol_options_set_verify_block(
                options.securityProtocolOptions, { _, _, complete in complete(true) }, .global())
            let friend = NWConnection(
                host: "localhost", port: port, using: NWParameters(tls: options))
            _ = friend.startRecording()
            #expect(try await friend.receiveAll() == "hello\n")
            #expect(friend.metadata(definition: NWProtocolTLS.definition) != nil)
            friend.cancel()

            let tour = try await runProcess(
                "sh",
                [
                    "-ec",
                    """
                    cd "$(dirname \(certificate))"
                    mkfifo typed
                    \(try BuiltProduct.path(of: "network-tour")) talk tls localhost \(port) \
                        <typed >said &
                    exec 3>typed
                    until grep -q -e received -e failed said; do sleep 0.05; done
                    exec 3>&-
                    wait
                    cat said
                    """,
                ],
                environment: ProcessInfo.processInfo.environment.merging([
                    "SSL_CERT_FILE": certificate
                ]) { $1 }, timeout: .seconds(30))
            #expect(tour.standardOutput.contains("viable\nreceived hello\n"), "\(tour)")
            serving.cancel()
            server.listener.cancel()
        }
    }

    @Test func `nothing is read that nobody asks for`() async throws {
        try await withCertificate { certificate, key in
            let sign = certificate + ".end"
            let script = """
                import ssl
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain("\(certificate)", "\(key)")
                server = socket.create_server(("127.0.0.1", 0))
                ready(server.getsockname()[1])
                peer = context.wrap_socket(server.accept()[0], server_side=True)
                peer.settimeout(1)
                sent = 0
                try:
                    while sent < 50_000_000: sent += peer.send(bytes(16384))
                except TimeoutError: print("held up")
                open("\(sign)", "w").close()
                """
            let output = try await python(script) { port in
                let options = NWProtocolTLS.Options()
                sec_protocol_options_set_peer_authentication_required(
                    options.securityProtocolOptions, false)
                let connection = NWConnection(
                    host: "127.0.0.1", port: port, using: NWParameters(tls: options))
                _ = connection.startRecording()
                let content = try await connection.receive().text
                #expect(!content.isEmpty)
                try await waitForFile(sign)
                connection.forceCancel()
            }
            #expect(output == "held up\n")
        }
    }

    @Test func `a listener without an identity fails`() async throws {
        let server = try TestListener(.tls)
        _ = await server.states.first { _ in true }
        #expect(server.listener.state == .failed(.tls(errSSLBadConfiguration)))
    }
}
