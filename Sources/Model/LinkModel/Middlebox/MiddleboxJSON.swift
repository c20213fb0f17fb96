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

    @OrNull var firewall: FirewallJSON?
    let nat: [TranslationJSON]
    @OrNull var mssBytes: Int?

    /// Makes the object for a middlebox.
    public init(_ middlebox: Middlebox) {
        firewall = middlebox.firewall.map(FirewallJSON.init)
        nat = middlebox.nat.map(TranslationJSON.init)
        mssBytes = middlebox.mss
    }
}
