public import FoundationEssentials
public import Glibc
import SystemPackage

/// A number of a DNS error, such as `kDNSServiceErr_NoSuchRecord`.
public typealias DNSServiceErrorType = Int32
/// A number of a TLS error, such as `errSSLPeerBadCert`.
public typealias OSStatus = Int32

/// The name does not exist, or has no address.
public let kDNSServiceErr_NoSuchRecord = -65_554
/// No name server has answered.
public let kDNSServiceErr_Timeout = -65_568

/// The connection was closed without an announcement.
public let errSSLClosedAbort: OSStatus = -9806
/// The connection was closed without the announcement that TLS prescribes.
public let errSSLClosedNoNotify: OSStatus = -9816
/// The certificate of the other end is not trusted.
public let errSSLXCertChainInvalid: OSStatus = -9807
/// The other end has reported an error.
public let errSSLPeerHandshakeFail: OSStatus = -9824
/// There is no certificate or key to show.
public let errSSLBadConfiguration: OSStatus = -9848

/// Why a connection or a listener has failed, or waits.
public enum NWError: Error, Hashable, Sendable, CustomDebugStringConvertible, LocalizedError {
    /// An error of the kernel.
    case posix(POSIXErrorCode)
    /// An error while a name was resolved.
    case dns(DNSServiceErrorType)
    /// An error of TLS.
    case tls(OSStatus)

    /// The number, and what it means.
    public var debugDescription: String {
        switch self {
        case .posix(let code):
            let text = Errno(rawValue: code.rawValue).description
            return "POSIXErrorCode(rawValue: \(code.rawValue)): \(text)"
        case .dns(let code): return "\(code): \(Self.text(ofDNS: code))"
        case .tls(let code): return "\(code): \(Self.text(ofTLS: code))"
        }
    }

    /// What has happened, for people.
    public var errorDescription: String? { debugDescription }

    private static func text(ofDNS code: DNSServiceErrorType) -> String {
        switch Int(code) {
        case kDNSServiceErr_NoSuchRecord: "NoSuchRecord"
        case kDNSServiceErr_Timeout: "Timeout"
        default: "DNS error"
        }
    }

    private static func text(ofTLS code: OSStatus) -> String {
        switch code {
        case errSSLClosedAbort: "closed via error"
        case errSSLClosedNoNotify: "closed without close_notify"
        case errSSLXCertChainInvalid: "invalid certificate chain"
        case errSSLPeerHandshakeFail: "peer handshake failed"
        case errSSLBadConfiguration: "configuration error"
        default: "TLS error"
        }
    }
}
