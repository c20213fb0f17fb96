import Foundation
import LinkTesting
import Testing

/// Clients of the proxy's API that nobody here wrote, and suites that use it, run by pytest.
@Suite("Proxy: clients of the API", .requiresNamespaces, .tags(.anyKernel))
struct ProxyClientTests {
    @Test func `toxiproxy-python finds toxics in its words, on packets and streams`() async throws {
        try await pytest("Tests/IntegrationTests/Fixtures/proxy_api/test_toxics.py")
    }

    @Test func `the API conforms to its description and withstands hostile clients`() async throws {
        try await pytest("Tests/IntegrationTests/Fixtures/proxy_api/test_server.py")
    }

    @Test func `the plugin gives each of parallel tests a network of its own`() async throws {
        try await pytest("Integrations/pytest-linkcond/tests")
    }

    @Test func `a web shop keeps its promises over high loss and when its database is cut`()
        async throws
    {
        try await pytest("Examples/web-shop")
    }

    @Test(arguments: [
        ("@pytest.mark.network", "write the marker as network(\"3G\")"),
        ("@pytest.mark.network('3G', sett=[])", "write the marker as network(\"3G\")"),
        ("@pytest.mark.network('3G')", "without the fixture"),
    ])
    func `the plugin refuses a marker that has no effect`(marker: String, text: String) async throws
    {
        try await withTemporaryDirectory { directory in
            try directory.write(
                "import pytest\n\(marker)\ndef test_it():\n    pass\n", to: "test_it.py")
            let result = try await run(pytest: directory.path)
            #expect(result.exitCode == 1)
            #expect((result.standardOutput + result.standardError).contains(text))
        }
    }

    private func pytest(_ path: String) async throws {
        let result = try await run(pytest: "\(BuiltProduct.packageDirectory)/\(path)")
        #expect(
            result.exitCode == 0 && !result.standardOutput.contains("skipped"),
            "\(result.standardOutput)\(result.standardError)")
    }

    private func run(pytest path: String) async throws -> ProcessResult {
        var variables = try PythonTool.environment()
        let plugin = "\(BuiltProduct.packageDirectory)/Integrations/pytest-linkcond/src"
        variables["PYTHONPATH"] = plugin + ":" + (variables["PYTHONPATH"] ?? "")
        variables["LINKCOND_BINARY"] = try TestNetwork.program()
        let environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        // Two at a time: other suites run beside them.
        return try await runProcess(
            "python3",
            [
                "-m", "pytest", "-p", "no:cacheprovider", "-p", "pytest_linkcond.plugin", "-n", "2",
                "--quiet", path,
            ], environment: environment)
    }
}
