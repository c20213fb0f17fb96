import LinkTesting
import LinuxKernel
import Testing

@testable import Uplink

extension Trait where Self == ConditionTrait {
    /// Runs a test only where pasta and slirp4netns are installed; Scripts/test installs both.
    static var requiresHelpers: Self {
        .enabled("pasta (package passt) and slirp4netns have to be installed") {
            HelperUplink.Kind.allCases.allSatisfy { hasPrograms($0.rawValue) }
        }
    }
}

@Suite("Helper uplinks", .requiresNamespaces, .requiresHelpers, .serialized, .tags(.contrary))
struct HelperUplinkTests {
    @Test func `What the relay leaves goes through slirp4netns`() async throws {
        try await TestSandbox.run(scope: .transport) { sandbox in
            let outside = try TestSandbox.connectOutside()
            defer { withExtendedLifetime(outside) {} }
            try NetworkNamespace.run(inNamespaceAt: sandbox.farNamespace) {
                try HelperUplink.prepareFarSide(TestSandbox.network)
            }
            let helper = try HelperUplink.start(
                .slirp4netns, networkNamespace: sandbox.farNamespace, userNamespace: nil)
            let ping = try sandbox.app("ping -c 1 -W 20 -q 203.0.113.1 || true")
            #expect(ping.contains(" 0% packet loss"))
            try TestSandbox.withServer("python3 -m http.server --bind :: 8000", port: 8000) { _ in
                for host in ["198.18.0.1", "192.0.2.1", "[fd00:6c63::1]"] {
                    let code = try sandbox.app(
                        "curl -sS -m 30 -o /dev/null -w '%{http_code}' http://\(host):8000/")
                    #expect(code == "200", "\(host)")
                }
            }
            helper.stop()
            #expect(try sandbox.far("ip -br link show up0 2>&1 || true").contains("not exist"))
        }
    }

    @Test func `Root is told that pasta is not for it`() {
        #expect(throws: UplinkError.pastaAsRoot) {
            try HelperUplink.start(
                .pasta, networkNamespace: "/proc/self/ns/net", userNamespace: nil)
        }
    }

    @Test func `A helper that fails says why`() async throws {
        try await TestSandbox.run(scope: .transport) { sandbox in
            for kind in HelperUplink.Kind.allCases {
                let error = try #require(throws: UplinkError.self) {
                    try HelperUplink.start(
                        kind, networkNamespace: "/nonexistent", userNamespace: "/nonexistent")
                }
                #expect(error.description.hasPrefix("\(kind.rawValue) failed: "))
                #expect(!error.description.contains("does not get ready"))
            }
        }
    }

    @Test func `A helper that is not installed is named with its package`() {
        #expect(
            UplinkError.missingProgram("pasta", package: "passt").description
                == "the program pasta is not installed; install it with: sudo apt install passt "
                + "(Debian, Ubuntu) or sudo dnf install passt (Fedora)")
    }
}
