import FoundationEssentials
import LinkModel
import ProfileFormat

/// Files of profiles.
enum ProfileFile {
    /// Far above any profile, far below what would fill the memory.
    private static let sizeLimit = 64 * 1024

    /// Reads the profile in `file`.
    static func read(_ file: String) throws(ProfileFileError) -> Profile {
        let url = URL(filePath: file).resolvingSymlinksInPath()
        let bytes: Data
        do {
            let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
            guard attributes[.type] as? FileAttributeType == .typeRegular else {
                throw ProfileFileError.inaccessible(file: file, explanation: "is not a file")
            }
            guard let size = attributes[.size] as? UInt64, size <= sizeLimit else {
                throw ProfileFileError.malformed(
                    ProfileError(
                        file: file, explanation: "is larger than 64 KiB, which no profile is"))
            }
            bytes = try Data(contentsOf: url)
        } catch let error as ProfileFileError {
            throw error
        } catch let error as CocoaError {
            throw .inaccessible(file: file, explanation: explanation(of: error))
        } catch {
            throw .inaccessible(file: file, explanation: "cannot be read: \(error)")
        }
        guard let text = String(validating: bytes, as: UTF8.self), !text.contains("\0") else {
            throw .malformed(
                ProfileError(
                    file: file,
                    explanation: "is not a text; a profile is a YAML text in UTF-8"))
        }
        do {
            return try ProfileReader.profile(from: text, file: file)
        } catch {
            throw .malformed(error)
        }
    }

    /// The profile files in `directory`, by name; none if there is no such directory.
    static func files(in directory: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }
            .sorted().map { "\(directory)/\($0)" }
    }

    /// The name of `file` without directory and extension.
    static func stem(of file: String) -> String {
        URL(filePath: file).deletingPathExtension().lastPathComponent
    }

    private static func explanation(of error: CocoaError) -> String {
        switch error.code {
        case .fileReadNoSuchFile, .fileNoSuchFile:
            "no such file; linkcond list shows the profiles that need none"
        case .fileReadNoPermission:
            "may not be read by you"
        default:
            "cannot be read: \(error)"
        }
    }
}
