import LinkUnits

/// A middlebox wherever linkcond prints conditions as JSON. The keys are a stable interface: see
/// `middlebox` in `Profiles/schema/show.schema.json`.
public struct MiddleboxJSON: Encodable {
    struct FirewallJSON: Encodable {
        let block: [String]
        let allow: [String]
        let answer: String
        @OrNull var tcpTimeoutMilliseconds: Double?

        init(_ firewall: Firewall) {
            block = firewall.block.map(\.text)
            allow = firewall.allow.map(\.text)
            answer = firewall.answer.rawValue
            tcpTimeoutMilliseconds = firewall.tcpTimeout?.milliseconds
        }
    }

    struct TranslationJSON: Encodable {
        let kind: String
        let udpTimeoutMilliseconds: Double
        let tcpTimeoutMilliseconds: Double
        @OrNull var rebindMilliseconds: Double?
        let hairpin: Bool
        let tableEntries: Int

        init(_ translation: AddressTranslation) {
            kind = translation.kind.rawValue
            udpTimeoutMilliseconds = translation.udpTimeout.milliseconds
            tcpTimeoutMilliseconds = translation.tcpTimeout.milliseconds
            rebindMilliseconds = translation.rebind?.milliseconds
            hairpin = translation.hairpin
            tableEntries = translation.table
        }
    }

    struct ResolverJSON: Encodable {
        struct WrongAnswerJSON: Encodable {
            let address: String
            let names: [String]
        }

        let isDown: Bool
        let servfailRatio: Double
        let nxdomain: [String]
        @OrNull var wrongAnswer: WrongAnswerJSON?
        let truncate: Bool
        let delayMilliseconds: Double

        init(_ resolver: Resolver) {
            isDown = resolver.isDown
            servfailRatio = resolver.servfail.value
            nxdomain = resolver.nxdomain.map(\.text)
            wrongAnswer = resolver.wrongAnswer.map {
                WrongAnswerJSON(address: $0.address.text, names: $0.names.map(\.text))
            }
            truncate = resolver.truncate
            delayMilliseconds = resolver.delay.milliseconds
        }
    }

    struct CaptivePortalJSON: Encodable {
        @OrNull var untilMilliseconds: Double?

        init(_ portal: CaptivePortal) { untilMilliseconds = portal.until?.milliseconds }
    }

    @OrNull var firewall: FirewallJSON?
    let nat: [TranslationJSON]
    @OrNull var mssBytes: Int?
    @OrNull var dns: ResolverJSON?
    @OrNull var captivePortal: CaptivePortalJSON?
    @OrNull var family: String?

    /// Makes the object for a middlebox.
    public init(_ middlebox: Middlebox) {
        firewall = middlebox.firewall.map(FirewallJSON.init)
        nat = middlebox.nat.map(TranslationJSON.init)
        mssBytes = middlebox.mss
        dns = middlebox.dns.map(ResolverJSON.init)
        captivePortal = middlebox.captivePortal.map(CaptivePortalJSON.init)
        family = middlebox.family?.rawValue
    }
}
