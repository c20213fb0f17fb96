import Foundation
import HTTPTransport

extension URLError {
    /// The error of an exchange.
    ///
    /// - Parameter isEstablished: Whether anything was exchanged with the server; then the
    ///   connection was lost rather than not made.
    init(_ failure: ExchangeFailure, isEstablished: Bool, url: URL?) {
        let code: Code =
            switch failure.kind {
            case .unknownHost: .cannotFindHost
            case .cannotConnect: isEstablished ? .networkConnectionLost : .cannotConnectToHost
            case .timedOut: .timedOut
            case .connectionLost: .networkConnectionLost
            case .insecure: .secureConnectionFailed
            case .untrustedServer: .serverCertificateUntrusted
            case .badClientCertificate: .clientCertificateRejected
            case .badURL: .unsupportedURL
            case .badResponse: .badServerResponse
            case .unreadableBody: .cannotOpenFile
            case .stopped: .cancelled
            case .other: isEstablished ? .networkConnectionLost : .unknown
            }
        self.init(code, failure.description, url: url)
    }
}
