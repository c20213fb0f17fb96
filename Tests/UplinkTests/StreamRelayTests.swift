import LinkTesting
import Testing

@testable import Uplink

@Suite("Relay of TCP", .requiresNamespaces, .serialized)
struct StreamRelayTests {
    @Test func `A page of the host's loopback arrives whole, by IPv4 and by IPv6`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path
            try shell("head -c 5000000 /dev/urandom >\(path)/file")
            let expected = try shell("sha256sum <\(path)/file")
            try await TestSandbox.run { sandbox in
                try TestSandbox.withServer(
                    "python3 -m http.server --bind :: --directory \(path) 8000", port: 8000
                ) { _ in
                    for host in ["198.18.0.1", "[fd00:6c63::1]", "192.0.2.1", "[2001:db8::1]"] {
                        let sum = try sandbox.app(
                            "curl -sSf -m 20 http://\(host):8000/file | sha256sum")
                        #expect(sum == expected, "\(host)")
                    }
                }
            }
        }
    }

    @Test func `Nobody listening is a refusal, at once`() async throws {
        try await TestSandbox.run { sandbox in
            for host in ["198.18.0.1", "[fd00:6c63::1]", "192.0.2.1", "[2001:db8::1]"] {
                let result = try sandbox.app(
                    "curl -sS -m 5 http://\(host):9/; echo code $?")
                #expect(result.contains("code 7"), "\(host): \(result)")
            }
        }
    }
}
