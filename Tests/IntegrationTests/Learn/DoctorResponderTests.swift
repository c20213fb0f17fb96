import Foundation
import LinkTesting
import Testing

/// `doctor --network` with responders that are old, hostile, or not there.
@Suite("Responders of the doctor", .requiresNamespaces, .tags(.anyKernel))
struct DoctorResponderTests {
    /// Says its words to each client, and closes the connection; or goes on saying them.
    private static let script = """
        import socket, sys, time
        server = socket.create_server(("", 46464))
        while True:
            connection, _ = server.accept()
            try:
                connection.recv(100)
                for words in sys.argv[1:]:
                    connection.sendall(words.replace("\\\\n", "\\n").encode())
                    time.sleep(0.2)
                if sys.argv[1].startswith("linkcond-learn/2"):
                    connection.recv(1000)
            except OSError:
                pass
            connection.close()
        """

    private static let invitation =
        #"{"diagnosis":{"token":"0123456789abcdef","doors":["#
        + #"{"address":"198.18.0.3","port":46464}],"streamPorts":[46465]}}\n"#

    @Test(
        arguments: [
            (["linkcond-learn/1 0.8.0 version\\n"], 69, "speaks version 1 of the protocol"),
            (["linkcond-learn/1 0.8.0 busy\\n"], 1, "somebody else"),
            (["SSH-2.0-OpenSSH_9.9\\n"], 1, "something else listens there"),
            (["linkcond-learn/2 1.0 ready\\n", "{}\\n"], 1, "cannot be understood"),
            (
                [
                    "linkcond-learn/2 1.0 ready\\n",
                    #"{"diagnosis":{"token":"0123456789abcdef","doors":[],"streamPorts":[]}}\n"#,
                ], 1, "cannot be understood"
            ),
            (
                ["linkcond-learn/2 1.0 ready\\n", invitation, "nonsense\\n"], 1,
                "cannot be understood"
            ),
            (["linkcond-learn/2 1.0 ready\\n", invitation], 1, "vanished"),
            (
                ["linkcond-learn/2 1.0 ready\\n", String(repeating: "x", count: 70_000)], 1,
                "too long"
            ),
        ] as [([String], Int32, String)])
    func `what is wrong is told, and what needs nobody is done`(
        words: [String], code: Int32, reason: String
    ) async throws {
        try await withTemporaryDirectory { directory in
            let script = try directory.write(Self.script, to: "responder.py")
            let quoted = words.map { "'\($0)'" }.joined(separator: " ")
            let result = try await SandboxedRun(
                arguments: [
                    "Wi-Fi", "--uplink", "none", "--drain", "0 s", "--server",
                    "exec python3 \(script) \(quoted)", "--server-ready", "46464", "--",
                    try SandboxedRun.program(), "doctor", "--network", "server.linkcond", "--json",
                    "--quiet", "--output", directory.path + "/found.yaml",
                ]
            ).result()
            #expect(result.exitCode == code, "\(result)")
            #expect(result.standardError.contains(reason), "\(result.standardError)")
            try await JSONSchema("doctor-network").expectValid(result.standardOutput)
            let report = try NetworkReport(result.standardOutput)
            #expect(report["addresses"] == "dual" && report["nat"] == nil)
            #expect(report.problem?.contains(reason) == true)
            let isWritten = FileManager.default.fileExists(atPath: directory.path + "/found.yaml")
            #expect(!isWritten)
        }
    }

    /// That would be found out half a minute later, and `--force` does not help.
    @Test(arguments: [[], ["--force"]])
    func `a directory is no file for the profile, and nothing is asked before that is said`(
        force: [String]
    ) async throws {
        try await withTemporaryDirectory { directory in
            let result = try await runProcess(
                try SandboxedRun.program(),
                ["doctor", "--network", "127.0.0.1", "--output", directory.path] + force)
            #expect(result.exitCode == 73 && result.standardOutput.isEmpty)
            #expect(result.standardError.contains("Is a directory"), "\(result.standardError)")
        }
    }

    /// A responder sends to nobody who has not shown the token, and nothing by itself.
    @Test func `strangers get no answer, and a client that stops half-way is left`() async throws {
        let output = try await besideResponder(
            """
            import json, socket
            stream = socket.create_connection(("198.18.0.3", 46464))
            lines = stream.makefile("r")
            stream.sendall(b"linkcond-learn/2 1.0 hello\\n")
            print(lines.readline().split()[2])
            token = json.loads(lines.readline())["diagnosis"]["token"]
            def ask(bytes, expected=0):
                probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                probe.sendto(bytes, ("198.18.0.3", 46464))
                words = []
                try:
                    while True:
                        probe.settimeout(20 if len(words) < expected else 1)
                        answer, place = probe.recvfrom(2000)
                        words.append(f"{answer.split()[0].decode()} {place[1]}")
                except TimeoutError: return ", ".join(words) or "silence"
            print(ask(b"linkcond-doctor 0123456789abcdef 1 " + bytes(200)))
            print(ask(b"linkcond-doctor " + token.encode() + b" 1 "))
            print(ask(b"linkcond-doctor " + token.encode() + b" 1 " + bytes(200), 1))
            # A knock by another door, and by one that is not there.
            for door, expected in [(b"1", 2), (b"99", 1)]:
                knock = b"linkcond-request " + token.encode() + b" 2 " + door + b" "
                print(ask(knock + bytes(200), expected))
            stream.sendall(b'{"asksArrivals":')
            stream.shutdown(socket.SHUT_RDWR)
            word = "busy"
            # It may not have seen yet that the first one has gone.
            while word == "busy":
                again = socket.create_connection(("198.18.0.3", 46464))
                again.sendall(b"linkcond-learn/2 1.0 hello\\n")
                word = again.makefile("r").readline().split()[2]
            print(word)
            """)
        let seen = "linkcond-seen 46464"
        let answers = "\(seen)\n\(seen), linkcond-knock 46465\n\(seen)"
        #expect(output == "ready\nsilence\nsilence\n\(answers)\nready\n")
    }

    /// Behind a NAT that has forgotten it, the end of a connection reaches nobody.
    @Test(arguments: [false, true])
    func `a client that says farewell is gone, though its connection stands`(
        measures: Bool
    ) async throws {
        let output = try await besideResponder(
            """
            import json, socket, time
            def connect():
                stream = socket.create_connection(("198.18.0.3", 46464))
                stream.sendall(b"linkcond-learn/2 1.0 hello\\n")
                return stream, stream.makefile("r")
            first, lines = connect()
            print(lines.readline().split()[2])
            token = json.loads(lines.readline())["diagnosis"]["token"].encode()
            if \(measures ? "True" : "False"):
                first.sendall(b'{"measures":true}\\n')
                lines.readline()
            second, others = connect()
            print(others.readline().split()[2])
            probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            for word in [b"0123456789abcdef", token]:
                # A measurement needs the first of the ports for itself.
                for port in [46464, 46465]:
                    try: probe.sendto(b"linkcond-farewell " + word + b" 0 ", ("198.18.0.3", port))
                    except ConnectionRefusedError: pass
                # It may not have heard it yet; but it gives nobody up so soon who says nothing.
                for _ in range(80 if word == token else 1):
                    third, others = connect()
                    said = others.readline().split()[2]
                    if said != "busy": break
                    time.sleep(0.1)
                print(said)
            """)
        #expect(output == "ready\nbusy\nbusy\nready\n")
    }

    /// What a Python program prints that asks a responder behind a link, at 198.18.0.3.
    private func besideResponder(_ script: String) async throws -> String {
        try await SandboxedRun(
            arguments: [
                "Wi-Fi", "--uplink", "none", "--drain", "0 s", "--server",
                "exec \(try SandboxedRun.program()) learn --serve --quiet", "--server-ready",
                "46464", "--", "python3", "-c", script,
            ]
        ).output()
    }
}
