import LinkTesting
import Testing

/// What clients and servers see on both sides of a proxy.
@Suite("Proxy", .requiresNamespaces, .tags(.anyKernel))
struct ProxyTests {
    /// Runs a test of the fixture, and expects what it prints.
    private func expect(
        _ output: String, from test: String, by caller: Caller = .ordinaryUser
    ) async throws {
        try await ProxyHost.expect(output, from: "proxying \(test)", by: caller)
    }

    @Test(arguments: Caller.allCases)
    func `the client may end first`(caller: Caller) async throws {
        try await expect("b'abc<end>' end\n", from: "half_close", by: caller)
    }

    @Test func `resets and refusals are passed on as resets`() async throws {
        try await expect(
            "server reset\nclient reset\nrefused reset\nrefused reset\ntold 1\n", from: "resets")
    }

    @Test func `Unix sockets are listeners and targets`() async throws {
        try await expect(
            "b'abc<end>' end\nnone reset\ntold\ntarget\n", from: "unix_sockets")
    }

    @Test(arguments: Caller.allCases)
    func `datagrams have a session for each client, also of SOCKS`(
        caller: Caller
    ) async throws {
        try await expect("ONE\nTWO\n2\nSOCKS\n", from: "datagrams", by: caller)
    }

    @Test func `targets learn who the client is`() async throws {
        try await expect("v1 True\nv2 True\n", from: "headers")
    }

    @Test func `a stalled reader stops the sender`() async throws {
        try await expect("stopped True True end\n", from: "backpressure")
    }

    @Test(arguments: Caller.allCases)
    func `SIGKILL in mid-transfer resets clients and leaves nothing`(
        caller: Caller
    ) async throws {
        try await expect("client reset\nfree\ngone\n", from: "killed", by: caller)
    }

    @Test func `descriptors that are used up end no connection`() async throws {
        try await expect("True True b'y'\nb'z'\n1\n", from: "scarcity")
    }

    @Test func `5,000 connections are open at once`() async throws {
        try await expect("5000\n", from: "crowd 5000")
    }
}

/// What controllers change while connections are open.
@Suite("Proxy: control", .requiresNamespaces, .tags(.anyKernel))
struct ProxyControlTests {
    @Test func `an open connection meets new conditions`() async throws {
        try await ProxyHost.expect(
            "300 ms late ['down.delay=300 ms']\n0 ms early ['down.delay=0 ms']\n",
            from: "proxying live_change")
    }

    @Test func `a killed link refuses its clients, and the others go on`() async throws {
        try await ProxyHost.expect(
            "reset\nfree True\nb'x'\nfailed True\ndone\ntold True\n",
            from: "proxying lost_link")
    }

    @Test func `a scenario is played on a link`() async throws {
        try await ProxyHost.expect(
            "scenario\nTwo ways\nlate\nearly\nover\n", from: "proxying scenario")
    }

    @Test func `streams are cut, stopped, reset and sliced`() async throws {
        try await ProxyHost.expect(
            """
            limit 10
            timeout b'' end True
            reset b'x' reset
            slow b'x<end>' end True
            slices True
            all 105

            """, from: "proxying behaviours")
    }

    @Test func `calls are carried out, or refused with a reason`() async throws {
        try await ProxyHost.expect(
            """
            nameTaken name
            addressInUse address
            badField address
            badField target
            badField profile
            badField settings
            noSuchLink link
            linkInUse link
            noSuchListener None
            badCall None
            b'x'
            linkInUse None
            False reset True
            True 0
            shared
            b'y'
            True shared
            done
            True

            """, from: "proxying control")
    }
}
