import LinkModel

/// A Wi-Fi network that hostapd makes.
public struct WirelessNetwork: Sendable, Hashable {
    /// Its name.
    public let name: String
    private let passphrase: String

    /// Takes a name of at most 32 bytes and a passphrase of 8 to 63 characters of ASCII (IEEE
    /// 802.11, annex J.4).
    public init(name: String, passphrase: String?) throws(GatewayError) {
        guard (1...32).contains(name.utf8.count) else {
            throw GatewayError(
                "--wifi \(name): the name of a Wi-Fi network has 1 to 32 bytes", status: .usage)
        }
        guard let passphrase else {
            throw GatewayError(
                "--wifi \(name): needs a passphrase of 8 to 63 characters; give it with "
                    + "--passphrase, or in the file as wifi.passphrase", status: .usage)
        }
        guard (8...63).contains(passphrase.utf8.count),
            passphrase.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
        else {
            throw GatewayError(
                "--passphrase: has to have 8 to 63 characters of ASCII", status: .usage)
        }
        (self.name, self.passphrase) = (name, passphrase)
    }

    /// The configuration of hostapd for an interface.
    public func hostapd(on interface: String) -> String {
        let digits = name.utf8.map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        return """
            # Written by linkcond gateway.
            interface=\(interface)
            driver=nl80211
            # The name in hexadecimal digits, so that it may have any character.
            ssid2=\(digits.joined())
            utf8_ssid=1
            hw_mode=g
            channel=6
            ieee80211n=1
            wmm_enabled=1
            auth_algs=1
            wpa=2
            wpa_key_mgmt=WPA-PSK
            rsn_pairwise=CCMP
            wpa_passphrase=\(passphrase)

            """
    }
}
