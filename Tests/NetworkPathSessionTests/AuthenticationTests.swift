import Foundation
import FoundationNetworking
import HTTPTransport
import Testing

@testable import NetworkPathSession

/// Servers that ask who it is.
@Suite("Authentication of NetworkSession") struct AuthenticationTests {
    private static func ask(_ kind: String, _ options: String) -> String {
        AppRun.join + "$probe \(kind) \"$url/file?size=1000&password=p\" \(options)"
    }

    @Test(arguments: ["data", "download", "upload"])
    func `who shows nothing gets the response`(_ kind: String) async throws {
        let result = try await AppRun.run(Self.ask(kind, "style=async,delegate resource=60"))
        #expect(result.reports.map(\.outcome) == ["ok", "ok"])
        #expect(result.reports.allSatisfy { $0.status == 401 && $0.bytes == "who are you?".count })
        #expect(result.requests.count == 2)
    }

    @Test(arguments: ["data", "download", "upload"])
    func `a credential of the delegate's is shown`(_ kind: String) async throws {
        let result = try await AppRun.run(
            Self.ask(kind, "credential=u:p style=async,delegate"))
        #expect(result.reports.map(\.outcome) == ["ok", "ok"])
        #expect(
            result.reports.allSatisfy {
                $0.status == 200 && $0.bytes == (kind == "upload" ? 6 : 1000)
            })
        #expect(
            result.lines.filter { $0.hasPrefix("challenge") } == [
                "challenge here 0", "challenge here 0",
            ])
        #expect(result.requests.count == 4)
    }

    @Test(arguments: ["data", "download", "upload"])
    func `a credential answers Digest as well`(_ kind: String) async throws {
        let result = try await AppRun.run(
            AppRun.join + """
                $probe \(kind) "$url/file?size=1000&digest=p" credential=u:p
                $probe \(kind) "$url/file?size=1000&digest=other" credential=u:p
                """)
        #expect(result.reports.map(\.outcome) == ["ok", "ok"])
        #expect(result.reports.map(\.status) == [200, 401])
        // The password is never shown.
        #expect(result.requests.allSatisfy { $0.credential?.hasPrefix("Digest ") ?? true })
    }

    @Test func `a wrong credential is asked for again, until the delegate gives up`() async throws {
        let result = try await AppRun.run(Self.ask("data", "credential=u:wrong"))
        #expect(result.lines == (0...2).map { "challenge here \($0)" })
        #expect(result.reports.map(\.status) == [401])
    }

    @Test(arguments: [("cancel", "-999"), ("never", "-1001")])
    func `the delegate may also cancel, and is not waited for without end`(
        _ answer: String, _ outcome: String
    ) async throws {
        let result = try await AppRun.run(Self.ask("data", "challenge=\(answer) resource=3"))
        #expect(result.reports.map(\.outcome) == [outcome])
        #expect(result.requests.count == 1)
    }

    @Test func `a download that was cut goes on with a credential`() async throws {
        let result = try await AppRun.run(
            AppRun.join + """
                for try in 1 2; do
                    $probe download "$url/file?size=200000&cut=150000&password=p" save=state \
                        credential=u:p
                done
                """)
        #expect(result.reports.map(\.outcome) == ["-1005", "ok"])
        #expect(result.requests.last?.range == "bytes=150000-")
    }

    @Test func `a credential stays with the server that asked for it`() async throws {
        let result = try await AppRun.run(
            AppRun.join + "$probe data \"$url/away?password=p\" credential=u:p")
        #expect(result.reports.map(\.status) == [200])
        #expect(result.requests.map(\.status) == [401, 302, 200])
        #expect(result.requests.map { $0.credential != nil } == [false, true, false])
    }

    @Test func `what was refused is not proposed again, and what was taken is kept`() async throws {
        let credential = URLCredential(user: "u", password: "p", persistence: .forSession)
        let space = URLProtectionSpace(
            host: "192.0.2.2", port: 80, protocol: "http", realm: "here",
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
        let challenge = Authentication.Challenge(
            original: URLAuthenticationChallenge(
                protectionSpace: space, proposedCredential: credential, previousFailureCount: 0,
                failureResponse: nil, error: nil, sender: Nobody()))
        let authentication = Authentication()
        let url = try #require(URL(string: "http://192.0.2.2/"))
        let first = await authentication.decide(challenge) { _ in (.performDefaultHandling, nil) }
        #expect(first == .again)
        var exchange = ExchangeRequest(url: url.absoluteString)
        authentication.apply(to: &exchange, for: url)
        #expect(exchange.headers == [ExchangeRequest.Header("Authorization", "Basic dTpw")])
        exchange.headers = []
        authentication.apply(to: &exchange, for: URL(string: "http://192.0.2.3/"))
        #expect(exchange.headers == [])
        let storage = try #require(URLSessionConfiguration.ephemeral.urlCredentialStorage)
        authentication.succeed(storage: storage)
        #expect(storage.credentials(for: space)?["u"]?.password == "p")
        let second = await authentication.decide(challenge) { question in
            #expect(question.previousFailureCount == 1)
            #expect(question.proposedCredential == nil)
            return (.performDefaultHandling, nil)
        }
        #expect(second == .asItIs)
    }
}

/// Who has nothing to do with the answers to challenges.
private final class Nobody: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
