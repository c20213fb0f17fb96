import Dispatch
import FoundationEssentials
import NIOCore
import NIOSSL

/// TLS above a channel.
enum SecureChannel {
    /// The handler of a connection that begins as a client.
    ///
    /// - Parameter host: The host of the endpoint; an address is verified, but not sent.
    static func clientHandler(
        _ options: NWProtocolTLS.Options, host: NWEndpoint.Host?
    ) throws -> NIOSSLClientHandler {
        let values = options.securityProtocolOptions.values
        var configuration = TLSConfiguration.makeClientConfiguration()
        configure(&configuration, values)
        // OpenSSL's variable, which other programs respect as well.
        if let file = ProcessInfo.processInfo.environment["SSL_CERT_FILE"], !file.isEmpty {
            configuration.trustRoots = .file(file)
        }
        if values.requiresPeer == false, values.verification == nil {
            configuration.certificateVerification = .none
        }
        if let identity = values.identity {
            configuration.certificateChain = identity.certificates.map { .certificate($0) }
            configuration.privateKey = .privateKey(identity.key)
        }
        let context = try NIOSSLContext(configuration: configuration)
        var name = values.serverName
        if name == nil, case .name(let host, _)? = host { name = host }
        guard let verification = values.verification else {
            return try NIOSSLClientHandler(context: context, serverHostname: name)
        }
        return try NIOSSLClientHandler(
            context: context, serverHostname: name,
            customVerificationCallback: callback(verification))
    }

    /// The handler of connections that a listener accepts.
    ///
    /// - Throws: `NWError.tls(errSSLBadConfiguration)` without an identity.
    static func serverHandler(_ options: NWProtocolTLS.Options) throws -> NIOSSLServerHandler {
        let values = options.securityProtocolOptions.values
        guard let identity = values.identity else { throw NWError.tls(errSSLBadConfiguration) }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: identity.certificates.map { .certificate($0) },
            privateKey: .privateKey(identity.key))
        configure(&configuration, values)
        if values.requiresPeer == true {
            configuration.certificateVerification = .noHostnameVerification
        }
        let context = try NIOSSLContext(configuration: configuration)
        guard let verification = values.verification, values.requiresPeer == true else {
            return NIOSSLServerHandler(context: context)
        }
        return NIOSSLServerHandler(
            context: context, customVerificationCallback: callback(verification))
    }

    private static func configure(
        _ configuration: inout TLSConfiguration, _ values: sec_protocol_options_t.Values
    ) {
        configuration.minimumTLSVersion = version(values.minimumVersion) ?? .tlsv12
        configuration.maximumTLSVersion = version(values.maximumVersion)
        configuration.applicationProtocols = values.protocols
    }

    private static func version(_ version: tls_protocol_version_t?) -> TLSVersion? {
        switch version {
        case .TLSv10: .tlsv1
        case .TLSv11: .tlsv11
        case .TLSv12: .tlsv12
        case .TLSv13: .tlsv13
        case nil: nil
        }
    }

    private static func callback(
        _ verification: sec_protocol_options_t.Verification
    ) -> NIOSSLCustomVerificationCallback {
        { _, promise in
            verification.queue.async {
                verification.block(sec_protocol_metadata_t(), sec_trust_t()) { isTrusted in
                    promise.succeed(isTrusted ? .certificateVerified : .failed)
                }
            }
        }
    }
}
