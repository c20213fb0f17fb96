import Foundation
import FoundationNetworking
import HTTPTransport
import Synchronization

/// The credentials that a task presents to servers.
///
/// An attempt ends with the challenge, and the next attempt carries the credential.
final class Authentication: Sendable {
    /// A response that asks for a credential.
    struct Challenge: Sendable {
        let original: URLAuthenticationChallenge

        /// Whether a name and a password can answer it.
        var isAnswerable: Bool {
            [NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest]
                .contains(original.protectionSpace.authenticationMethod)
        }
    }

    /// What to do after a challenge.
    enum Decision {
        /// Try again.
        case again
        /// Accept the response as it is.
        case asItIs
        /// Cancel the task.
        case cancel
    }

    private struct State {
        var failures = 0
        var credential: URLCredential?
        var space: URLProtectionSpace?
    }

    private let state = Mutex(State())

    /// Adds the credential to an exchange, if it is with the server that asked for it.
    func apply(to exchange: inout ExchangeRequest, for url: URL?) {
        let (credential, space) = state.withLock { ($0.credential, $0.space) }
        guard let credential, let space, let url, space.isOrigin(of: url) else { return }
        let (user, password) = (credential.user ?? "", credential.password ?? "")
        if space.authenticationMethod == NSURLAuthenticationMethodHTTPDigest {
            exchange.digestLogin = ExchangeRequest.Login(user: user, password: password)
        } else {
            // RFC 7617, section 2.
            let words = Data("\(user):\(password)".utf8).base64EncodedString()
            exchange.headers.removeAll { $0.name.lowercased() == "authorization" }
            exchange.headers.append(ExchangeRequest.Header("Authorization", "Basic \(words)"))
        }
    }

    /// Decides what to do about a challenge.
    ///
    /// - Parameter ask: Asks the delegate; nil if the task has ended in the meantime.
    func decide(
        _ challenge: Challenge,
        ask: (URLAuthenticationChallenge) async -> (
            URLSession.AuthChallengeDisposition, URLCredential?
        )?
    ) async -> Decision {
        let original = challenge.original
        guard challenge.isAnswerable, let sender = original.sender else { return .asItIs }
        let (failures, refused) = state.withLock { state in
            defer { state.failures += 1 }
            return (state.failures, state.credential)
        }
        // A refused credential is not proposed again.
        let proposed = original.proposedCredential == refused ? nil : original.proposedCredential
        let question = URLAuthenticationChallenge(
            protectionSpace: original.protectionSpace, proposedCredential: proposed,
            previousFailureCount: failures, failureResponse: original.failureResponse, error: nil,
            sender: sender)
        guard let (disposition, given) = await ask(question) else { return .cancel }
        let credential: URLCredential?
        switch disposition {
        case .useCredential: credential = given
        case .performDefaultHandling: credential = proposed
        case .rejectProtectionSpace: credential = nil
        case .cancelAuthenticationChallenge: return .cancel
        }
        guard let credential else { return .asItIs }
        state.withLock { ($0.credential, $0.space) = (credential, original.protectionSpace) }
        return .again
    }

    /// The server has accepted the credential; stores it if its persistence says so.
    func succeed(storage: URLCredentialStorage?) {
        let (credential, space) = state.withLock { ($0.credential, $0.space) }
        guard let credential, let space, credential.persistence != .none else { return }
        storage?.set(credential, for: space)
    }
}

extension URLProtectionSpace {
    /// Whether it belongs to the server of `url`.
    fileprivate func isOrigin(of url: URL) -> Bool {
        var own = URLComponents()
        (own.scheme, own.host, own.port) = (`protocol`, host, port)
        return own.url?.origin == url.origin
    }
}
