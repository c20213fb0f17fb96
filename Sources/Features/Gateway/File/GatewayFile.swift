import LinkModel
import LinuxKernel
public import ProfileFormat
import YAMLReading

/// The contents of `gateway.yaml`.
public struct GatewayFile: Sendable, Hashable {
    /// What the devices get.
    public var configuration = GatewayConfiguration()
    /// The Wi-Fi network: its name and its passphrase.
    public var wifi: (name: String, passphrase: String?)?

    /// Far above any such file, far below the available memory.
    private static let sizeLimit = 1 << 20

    /// Reads the file at `path`.
    public static func read(_ path: String) throws -> GatewayFile {
        let bytes: [UInt8]
        do throws(InputFileError) {
            bytes = try InputFile.read(path, limit: sizeLimit)
        } catch {
            throw GatewayError("\(path): \(error)", status: .cannotRead)
        }
        return try GatewayFile(parsing: String(decoding: bytes, as: UTF8.self), file: path)
    }

    /// Reads a text.
    ///
    /// - Parameter file: its name, for errors.
    public init(parsing text: String, file: String) throws(ProfileError) {
        guard let root = try YAMLText.compose(text, file: file), case .mapping = root else {
            throw ProfileError(
                file: file,
                explanation: "is not a gateway; write \"devices:\" and below it lines such as "
                    + "\"  my-phone: 3G\"")
        }
        let reader = GatewayFileReader(
            fields: try FieldReader(root, file: file, path: "", known: GatewayFileReader.keys))
        self = try reader.read()
    }

    init() {}

    /// Whether both say the same.
    public static func == (first: Self, second: Self) -> Bool {
        first.configuration == second.configuration && first.wifi?.name == second.wifi?.name
            && first.wifi?.passphrase == second.wifi?.passphrase
    }

    /// Hashes what they say.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(configuration)
        hasher.combine(wifi?.name)
        hasher.combine(wifi?.passphrase)
    }
}
