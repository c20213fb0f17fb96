public import Foundation
import SystemPackage

/// Why assets cannot be downloaded or stored.
public enum AssetError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The manifest is not as it must be.
    case badManifest(String)
    /// The server refuses a file, with this status.
    case status(Int, name: String)
    /// The server's file has another size than the manifest says.
    case wrongSize(name: String, expected: Int64, found: Int64)
    /// The server's file has another content than the manifest says.
    case wrongContent(name: String)
    /// The network fails.
    case network(name: String, URLError.Code, String)
    /// Not enough free space, in bytes.
    case noSpace(directory: String, needed: Int64, available: Int64)
    /// A file that is not of the store is in the way.
    case foreignFile(String)
    /// The store cannot be read or written.
    case storage(path: String, String)
    /// Another process uses the store.
    case busy(holder: String)
    /// Another process has taken over the store, since this one was stopped.
    case leaseLost
    /// There is no such asset.
    case unknownAsset(String)

    /// What failed, and what to do.
    public var description: String {
        switch self {
        case .badManifest(let reason): "The manifest is not usable: \(reason)."
        case .status(let status, let name):
            "\(name): the server answers with status \(status); check the URL of the manifest."
        case .wrongSize(let name, let expected, let found):
            "\(name): the manifest says \(expected) bytes, and the server sends \(found); "
                + "nothing was installed. Publish a manifest for the new file."
        case .wrongContent(let name):
            "\(name): the content does not have the SHA-256 of the manifest; nothing was "
                + "installed. Publish a manifest for the new file."
        case .network(let name, .cannotWriteToFile, let text):
            "\(name): \(text) What was received is kept: make space and start again."
        case .network(let name, _, let text): "\(name): \(text)"
        case .noSpace(let directory, let needed, let available):
            "\(needed) more bytes are needed in \(directory), and \(available) are free; make space "
                + "and start again, which continues with what is there."
        case .foreignFile(let path):
            "\(path) exists and was not downloaded by this program; move it away. It is unchanged."
        case .storage(let path, let reason): "Cannot use \(path): \(reason)."
        case .busy(let holder): "\(holder) uses the assets; try again later."
        case .leaseLost:
            "Another process has taken over, since this one was stopped for too long. It continues "
                + "with what was there."
        case .unknownAsset(let name): "The manifest has no asset \(name)."
        }
    }

    /// Runs a step on a file; whatever fails is named after its path.
    static func at<Value>(_ path: String, _ body: () throws -> Value) throws(AssetError) -> Value {
        do {
            return try body()
        } catch let error as AssetError {
            throw error
        } catch {
            let reason = (error as? CocoaError)?.underlying as? POSIXError
            let errno = reason.map { Errno(rawValue: $0.code.rawValue) }
            throw .storage(path: path, errno.map { "\($0)" } ?? "\(error)")
        }
    }
}
