import CCrypto
import SystemPackage

/// The SHA-256 of a file, with OpenSSL.
@safe
struct ContentDigest: ~Copyable {
    private let context: OpaquePointer?

    private init() {
        unsafe context = EVP_MD_CTX_new()
        _ = unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil)
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    private func update(_ bytes: UnsafeRawBufferPointer) {
        _ = unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    private consuming func finish() -> String? {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard unsafe EVP_DigestFinal_ex(context, &digest, &count) == 1, count == 32 else {
            return nil
        }
        return digest.prefix(Int(count)).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    /// The digest of the file's content, as hexadecimal digits; nil if there is none, such as for
    /// lack of memory.
    ///
    /// - Parameter isWanted: Asked after each part; throws to stop.
    static func ofFile(
        _ file: FileDescriptor, while isWanted: () throws -> Void = {}
    ) throws -> String? {
        let digest = ContentDigest()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { unsafe buffer.deallocate() }
        var offset: Int64 = 0
        while true {
            let count = try unsafe file.read(fromAbsoluteOffset: offset, into: buffer)
            guard count > 0 else { return digest.finish() }
            unsafe digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += Int64(count)
            try isWanted()
        }
    }
}
