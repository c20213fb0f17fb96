public import Dispatch
import Synchronization

// swift-format-ignore: TypeNamesShouldBeCapitalized
/// The settings of TLS. The functions `sec_protocol_options_…` change them.
public final class sec_protocol_options_t: Sendable {
    struct Values: Sendable {
        var verification: Verification?
        var requiresPeer: Bool?
        var serverName: String?
        var protocols: [String] = []
        var minimumVersion: tls_protocol_version_t?
        var maximumVersion: tls_protocol_version_t?
        var identity: SecIdentity?
    }

    /// How the app verifies the other end.
    struct Verification: Sendable {
        let block: sec_protocol_verify_t
        let queue: DispatchQueue
    }

    private let state = Mutex(Values())

    init(_ values: Values = Values()) { state.withLock { $0 = values } }

    var values: Values { state.withLock { $0 } }

    func change(_ body: @Sendable (inout Values) -> Void) { state.withLock { body(&$0) } }
}

// swift-format-ignore: TypeNamesShouldBeCapitalized
/// The certificates of the other end. Their content is not available.
public final class sec_trust_t: Sendable {
    init() {}
}

// swift-format-ignore: TypeNamesShouldBeCapitalized
/// What is known of a TLS connection.
public final class sec_protocol_metadata_t: Sendable {
    init() {}
}

// swift-format-ignore: TypeNamesShouldBeCapitalized
/// Called by a block that verifies the other end, with its answer.
public typealias sec_protocol_verify_complete_t = @Sendable (Bool) -> Void

// swift-format-ignore: TypeNamesShouldBeCapitalized
/// Verifies the other end.
public typealias sec_protocol_verify_t =
    @Sendable (
        sec_protocol_metadata_t, sec_trust_t, @escaping sec_protocol_verify_complete_t
    ) -> Void

// swift-format-ignore: TypeNamesShouldBeCapitalized, AlwaysUseLowerCamelCase
/// A version of TLS.
public enum tls_protocol_version_t: UInt16, Sendable {
    /// TLS 1.0.
    case TLSv10 = 0x301
    /// TLS 1.1.
    case TLSv11 = 0x302
    /// TLS 1.2.
    case TLSv12 = 0x303
    /// TLS 1.3.
    case TLSv13 = 0x304
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Lets `verify_block` verify the other end, on its queue, in place of the system's trust store.
@preconcurrency public func sec_protocol_options_set_verify_block(
    _ options: sec_protocol_options_t, _ verify_block: @escaping sec_protocol_verify_t,
    _ verify_block_queue: DispatchQueue
) {
    options.change { $0.verification = .init(block: verify_block, queue: verify_block_queue) }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Whether the other end has to show a certificate: true for clients, false for listeners by
/// default.
public func sec_protocol_options_set_peer_authentication_required(
    _ options: sec_protocol_options_t, _ peer_authentication_required: Bool
) {
    options.change { $0.requiresPeer = peer_authentication_required }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name that the server's certificate must have, if it is not that of the endpoint.
public func sec_protocol_options_set_tls_server_name(
    _ options: sec_protocol_options_t, _ server_name: String
) {
    options.change { $0.serverName = server_name }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Offers an application protocol (ALPN), such as `h2`.
public func sec_protocol_options_add_tls_application_protocol(
    _ options: sec_protocol_options_t, _ application_protocol: String
) {
    options.change { $0.protocols.append(application_protocol) }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The lowest version to accept.
public func sec_protocol_options_set_min_tls_protocol_version(
    _ options: sec_protocol_options_t, _ version: tls_protocol_version_t
) {
    options.change { $0.minimumVersion = version }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The highest version to accept.
public func sec_protocol_options_set_max_tls_protocol_version(
    _ options: sec_protocol_options_t, _ version: tls_protocol_version_t
) {
    options.change { $0.maximumVersion = version }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The certificate and key to show. A listener cannot do without.
public func sec_protocol_options_set_local_identity(
    _ options: sec_protocol_options_t, _ identity: sec_identity_t
) {
    options.change { $0.identity = identity.identity }
}
