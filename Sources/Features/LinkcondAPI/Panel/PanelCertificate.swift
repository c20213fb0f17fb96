import LinuxKernel
import NIOSSL

/// The files of a certificate and its private key, by which the panel is served encrypted.
struct PanelCertificate {
    /// Far above any chain of certificates.
    private static let sizeLimit = 1 << 20
    /// A file cannot be read (sysexits.h).
    private static let cannotRead: Int32 = 74

    /// The path of the certificate and those above it.
    let file: String
    /// The path of the certificate's key.
    let keyFile: String

    /// What connections are encrypted with; throws which file is wrong, and how.
    var context: NIOSSLContext {
        get throws {
            let chain = try chain(in: try Self.read(file, "--certificate"))
            let key = try key(in: try Self.read(keyFile, "--key"))
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
            configuration.minimumTLSVersion = .tlsv12
            do {
                return try NIOSSLContext(configuration: configuration)
            } catch NIOSSLError.failedToLoadPrivateKey {
                throw PanelProblem(
                    description: "--key \(keyFile): is not the key of the first certificate in "
                        + "\(file); give the one that the certificate was made with")
            } catch {
                throw PanelProblem(
                    description: "--certificate \(file): cannot be used with \(keyFile): \(error)")
            }
        }
    }

    private static func read(_ path: String, _ option: String) throws -> [UInt8] {
        do {
            return try InputFile.read(path, limit: sizeLimit)
        } catch {
            throw PanelProblem(description: "\(option) \(path): \(error)", code: cannotRead)
        }
    }

    private func chain(in bytes: [UInt8]) throws -> [NIOSSLCertificate] {
        // swift-nio-ssl ends the program for no bytes.
        if !bytes.isEmpty, let chain = try? NIOSSLCertificate.fromPEMBytes(bytes) { return chain }
        let mark = "-----BEGIN CERTIFICATE-----"
        let reason =
            String(decoding: bytes, as: UTF8.self).contains(mark)
            ? "has a damaged certificate; make or copy the file anew"
            : "has no certificate in PEM format, which begins with \(mark)"
        throw PanelProblem(description: "--certificate \(file): \(reason)")
    }

    private func key(in bytes: [UInt8]) throws -> NIOSSLPrivateKey {
        if !bytes.isEmpty, let key = try? NIOSSLPrivateKey(bytes: bytes, format: .pem) {
            return key
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let reason =
            if text.contains("ENCRYPTED") {
                "is protected by a passphrase; write it without to a file that only you can read: "
                    + "openssl pkey -in \(ShellWord(keyFile)) -out plain.pem"
            } else if text.contains("PRIVATE KEY-----") {
                "has a damaged private key, or one of another kind than RSA and elliptic curves; "
                    + "make or copy the file anew"
            } else {
                "has no private key in PEM format, which begins with -----BEGIN PRIVATE KEY-----"
            }
        throw PanelProblem(description: "--key \(keyFile): \(reason)")
    }
}
