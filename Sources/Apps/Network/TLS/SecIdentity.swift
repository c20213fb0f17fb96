public import FoundationEssentials
import NIOSSL

/// A certificate and its private key.
///
/// Apple's comes from a keychain, which Linux does not have. This one comes from files, so that a
/// program makes it in its own way; everything that is done with it afterwards is the same.
public final class SecIdentity: Sendable {
    let certificates: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey

    /// Reads PEM files: a certificate with those of its authorities, and its private key.
    public init(certificateChain: URL, privateKey: URL) throws {
        certificates = try NIOSSLCertificate.fromPEMFile(certificateChain.path)
        key = try NIOSSLPrivateKey(file: privateKey.path, format: .pem)
    }
}

// swift-format-ignore: TypeNamesShouldBeCapitalized
/// An identity for `sec_protocol_options_set_local_identity`.
public final class sec_identity_t: Sendable {
    let identity: SecIdentity

    init(_ identity: SecIdentity) { self.identity = identity }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Wraps an identity.
public func sec_identity_create(_ identity: SecIdentity) -> sec_identity_t? {
    sec_identity_t(identity)
}
