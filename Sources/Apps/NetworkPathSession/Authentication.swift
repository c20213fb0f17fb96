import Foundation
import FoundationNetworking
import Synchronization

/// What a task has to show to servers that ask who it is.
///
/// FoundationNetworking asks its delegate too, but goes on by itself only if there is a credential,
/// and otherwise never ends. So a try ends with the question, and the answer is the next try.
final class Authentication: Sendable {
    /// A response that asks for a credential.
    struct Challenge: Sendable {
        let original: URLAuthenticationChallenge

        /// Whether there is an answer that could be given.
        var isBasic: Bool {
            original.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic
        }
    }

    /// What follows from a challenge.
    enum Decision {
        /// Another try.
        case again
        /// The response is the answer.
        case asItIs
        /// The task ends.
        case cancel
    }

    private struct State {
        var failures = 0
        var credential: URLCredential?
        var space: URLProtectionSpace?
    }

    private let state = Mutex(State())

    /// What `request` is with the credential that is to be shown.
    func applied(to request: URLRequest) -> URLRequest {
        guard let credential = state.withLock({ $0.credential }) else { return request }
        var request = request
        // RFC 7617, section 2.
        let words = Data("\(credential.user ?? ""):\(credential.password ?? "")".utf8)
        request.setValue(
            "Basic \(words.base64EncodedString())", forHTTPHeaderField: "Authorization")
        return request
    }

    /// Finds out what to do about a challenge.
    ///
    /// - Parameter ask: what the delegate says; nil if the task has ended meanwhile.
    func decide(
        _ challenge: Challenge,
        ask: (URLAuthenticationChallenge) async -> (
            URLSession.AuthChallengeDisposition, URLCredential?
        )?
    ) async -> Decision {
        let original = challenge.original
        guard challenge.isBasic, let sender = original.sender else { return .asItIs }
        let (failures, refused) = state.withLock { state in
            defer { state.failures += 1 }
            return (state.failures, state.credential)
        }
        // What was refused is not proposed again.
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

    /// The server has taken what it was shown: remembers it, if that is what it is for.
    func succeed(storage: URLCredentialStorage?) {
        let (credential, space) = state.withLock { ($0.credential, $0.space) }
        guard let credential, let space, credential.persistence != .none else { return }
        storage?.set(credential, for: space)
    }
}
