import HTTPAPI
public import ProxyControl

/// The connection to a running proxy.
public protocol ProxyController: Sendable {
    /// Sends an order and returns its answer, which is none of the events.
    func send(_ request: ProxyRequest) async throws(ControlError) -> ProxyReply
}

extension ProxyController {
    func state() async throws -> ProxyState {
        guard case .state(let state) = try await perform(.state) else { throw unexpected }
        return state
    }

    func listener(_ request: ProxyRequest) async throws -> ListenerState {
        guard case .listener(let listener) = try await perform(request) else { throw unexpected }
        return listener
    }

    func link(_ request: ProxyRequest) async throws -> LinkState {
        guard case .link(let link) = try await perform(request) else { throw unexpected }
        return link
    }

    @discardableResult
    func perform(_ request: ProxyRequest) async throws -> ProxyReply {
        let reply = try await send(request)
        if case .failed(let error) = reply { throw error }
        return reply
    }

    private var unexpected: APIError {
        APIError(
            502,
            "the proxy gave an unexpected answer; linkcond and linkcond-api may differ "
                + "in version")
    }
}
