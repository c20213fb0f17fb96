/// The format in which another tool stores link conditions.
public enum ForeignFormat: String, Sendable, Hashable, CaseIterable {
    /// Property lists of Apple's Network Link Conditioner.
    case nlc
    /// The output of tcconfig's `tcshow`, which `tcset --import-setting` reads.
    case tcconfig
    /// The file of `throttle --config` (sitespeed.io), and `connectivity` in the configurations of
    /// sitespeed.io and browsertime.
    case throttle
    /// `connectivity.ini` of WebPageTest.
    case webpagetest
    /// Profiles and settings of Facebook's Augmented Traffic Control.
    case atc
    /// Chrome's throttling: Lighthouse, DevTools, Puppeteer and the DevTools protocol.
    case chrome
    /// A delivery trace of mahimahi's `mm-link`.
    case mahimahi

    /// The display name.
    public var title: String {
        switch self {
        case .nlc: "Apple Network Link Conditioner"
        case .tcconfig: "tcconfig"
        case .throttle: "sitespeed throttle"
        case .webpagetest: "WebPageTest"
        case .atc: "Augmented Traffic Control"
        case .chrome: "Chrome throttling"
        case .mahimahi: "mahimahi delivery trace"
        }
    }

    /// What such a file looks like, for users whose file was not recognised.
    var outline: String {
        switch self {
        case .nlc: "a property list whose profiles have DownlinkBandwidth, UplinkDelay, ..."
        case .tcconfig: #"JSON such as {"eth0": {"outgoing": {"protocol=ip": {"delay": "10ms"}}}}"#
        case .throttle: #"JSON such as {"up": 330, "down": 780, "rtt": 200}"#
        case .webpagetest: "sections such as [Cable] with bwIn, bwOut and latency"
        case .atc: #"JSON such as {"content": {"up": {"rate": 200}, "down": {"rate": 240}}}"#
        case .chrome: #"JSON with rttMs or with latency, download and upload"#
        case .mahimahi: "one number of milliseconds a line"
        }
    }
}
