import LinkTesting
import Testing

@testable import NetworkPathSession

@Suite("Challenges of servers", .tags(.unit)) struct AuthenticationChallengeTests {
    private typealias Challenge = AuthenticationChallenge

    @Test func `parameters are read, quoted or not`() {
        #expect(
            Challenge.read(#"Basic realm="a \"b\", c", charset=UTF-8"#) == [
                Challenge(
                    scheme: "basic", parameters: ["realm": #"a "b", c"#, "charset": "UTF-8"])
            ])
    }

    @Test func `one field may have several challenges`() {
        let challenges = Challenge.read(
            #"Negotiate, Basic realm="x", Digest realm="y", nonce="a=b==", qop="auth,auth-int""#)
        #expect(challenges.map(\.scheme) == ["negotiate", "basic", "digest"])
        #expect(challenges.map { $0.parameters["realm"] } == [nil, "x", "y"])
        #expect(challenges.last?.parameters["nonce"] == "a=b==")
        #expect(challenges.last?.parameters["qop"] == "auth,auth-int")
    }

    @Test(
        arguments: [
            (#"Basic realm="x", Digest realm="y""#, "digest"), (#"BASIC realm=x"#, "basic"),
            ("Negotiate", nil), ("", nil), (",,", nil), ("=", nil), (#"realm="x""#, nil),
        ] as [(String, String?)])
    func `the password is not shown if it need not be`(_ field: String, _ scheme: String?) {
        #expect(Challenge.preferred(in: field)?.scheme == scheme)
    }
}
