import FoundationEssentials
import Glibc
import NIOCore
import NIOPosix
import NIOSSL

extension NWError {
    /// What an error of swift-nio means.
    init(_ error: any Error) {
        switch error {
        case let error as NWError: self = error
        case let error as IOError: self = .posix(POSIXErrorCode(rawValue: error.errnoCode) ?? .EIO)
        case let error as NIOConnectionError:
            // Without an address there is nothing to connect to.
            self =
                error.connectionErrors.last.map { NWError($0.error) }
                ?? .dns(Int32(kDNSServiceErr_NoSuchRecord))
        case is SocketAddressError, is SocketAddressError.UnknownHost:
            self = .dns(Int32(kDNSServiceErr_NoSuchRecord))
        case let error as ChannelError: self = .posix(Self.code(of: error))
        case NIOSSLError.uncleanShutdown: self = .tls(errSSLClosedNoNotify)
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            let isUntrusted =
                "\(error)".contains("CERTIFICATE_VERIFY_FAILED")
                || error as? NIOSSLExtraError == .failedToValidateHostname
            self = .tls(isUntrusted ? errSSLXCertChainInvalid : errSSLPeerHandshakeFail)
        default: self = .posix(.EIO)
        }
    }

    private static func code(of error: ChannelError) -> POSIXErrorCode {
        switch error {
        case .connectTimeout: .ETIMEDOUT
        case .writeMessageTooLarge: .EMSGSIZE
        case .outputClosed: .EPIPE
        case .operationUnsupported: .EOPNOTSUPP
        default: .ENOTCONN
        }
    }
}
