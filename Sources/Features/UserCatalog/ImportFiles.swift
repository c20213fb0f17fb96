import FoundationEssentials
import LinuxKernel
import ProfileFormat
public import ProfileImport
import SystemPackage

/// Reads and writes the files of `linkcond import`.
public enum ImportFiles {
    /// Above the size of a day's trace, below the available memory.
    private static let sizeLimit = 64 << 20

    /// Reads `file`; `-` is standard input.
    ///
    /// - Parameter reader: The command that reads standard input, for errors.
    public static func read(
        _ file: String, reader: String = "linkcond import -"
    ) throws -> ForeignFile {
        do {
            guard file != "-" else {
                let bytes = try FileDescriptor.standardInput.readAll(limit: sizeLimit)
                return try foreignFile("standard input", path: nil, bytes)
            }
            let bytes = try InputFile.read(file, limit: sizeLimit)
            let path = URL(filePath: file).standardizedFileURL.path
            return try foreignFile(file, path: path, bytes)
        } catch InputFileError.notRegular {
            throw FileAccessError(.reading, file, "is not a file; \(reader) reads standard input")
        } catch InputFileError.tooLarge {
            throw tooLarge(file)
        } catch let error as InputFileError {
            throw FileAccessError(.reading, file, error.description)
        } catch let errno as Errno {
            throw FileAccessError(.reading, file, errno)
        }
    }

    private static func tooLarge(_ name: String) -> ProfileError {
        ProfileError(file: name, explanation: "is larger than 64 MiB, which no such file is")
    }

    private static func foreignFile(
        _ name: String, path: String?, _ bytes: [UInt8]
    ) throws(ProfileError) -> ForeignFile {
        guard bytes.count <= sizeLimit else { throw tooLarge(name) }
        return ForeignFile(name: name, path: path, bytes: bytes)
    }

    /// Writes each text to its file atomically and creates directories; writes nothing if a file
    /// exists and must not be overwritten.
    public static func write(_ texts: [(file: String, text: String)], isForced: Bool) throws {
        if !isForced {
            for (file, _) in texts where FileManager.default.fileExists(atPath: file) {
                throw FileAccessError(.writing, file, .fileExists)
            }
        }
        for (file, text) in texts {
            let directory = URL(filePath: file).deletingLastPathComponent().path
            try? FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true)
            do throws(Errno) {
                try ReplacementFile(at: file, owner: nil).write(text, asNew: !isForced)
            } catch {
                throw FileAccessError(.writing, file, error)
            }
        }
    }

    /// Unique file names for profiles with these names.
    public static func names(for profiles: [String]) -> [String] {
        var taken: Set<String> = []
        return profiles.map { profile in
            let characters = profile.lowercased().map { character in
                character.isLetter || character.isNumber || "-_.+%".contains(character)
                    ? character : "-"
            }
            let words = String(characters).split(separator: "-")
            // A leading dot would hide the file.
            let stem = String(words.joined(separator: "-").prefix(100).drop { $0 == "." })
            let base = stem.isEmpty ? "profile" : stem
            var name = base
            var number = 2
            while !taken.insert(name).inserted {
                name = "\(base)-\(number)"
                number += 1
            }
            return name + ".yaml"
        }
    }
}
