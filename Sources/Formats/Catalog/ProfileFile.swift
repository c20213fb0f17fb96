import FoundationEssentials
import Glibc
import LinkModel
import ProfileFormat
import SystemPackage

/// Reads profile files.
enum ProfileFile {
    /// Far above any profile, far below the available memory.
    private static let sizeLimit = 64 * 1024

    /// Reads the profile in `file`.
    ///
    /// - Parameter checksTraces: Whether to reject traces that cannot be read now.
    static func read(
        _ file: String, checksTraces: Bool = false
    ) throws(ProfileFileError) -> Profile {
        let text = try text(of: file, kind: "profile", sizeLimit: sizeLimit)
        do {
            var profile = try ProfileReader.profile(from: text, file: title(of: file))
            for way in [\LinkConditions.down, \.up] {
                guard let trace = profile.conditions[keyPath: way].trace else { continue }
                profile.conditions[keyPath: way].trace = path(of: trace, besides: file)
            }
            guard !checksTraces || profile.hasReadableTraces else {
                throw ProfileFileError.inaccessible(
                    file: file, explanation: "names a trace that its owner may not read")
            }
            return profile
        } catch let error as ProfileError {
            throw .malformed(error)
        } catch let error as ProfileFileError {
            throw error
        } catch {
            throw .inaccessible(file: file, explanation: "\(error)")
        }
    }

    /// The text in `file`; `kind` says whether it is a profile or a scenario.
    static func text(
        of file: String, kind: String, sizeLimit: Int
    ) throws(ProfileFileError) -> String {
        let bytes: Data
        if file == StandardInput.name {
            guard StandardInput.bytes.count <= sizeLimit else {
                throw tooLarge(file, kind: kind, sizeLimit: sizeLimit)
            }
            bytes = Data(StandardInput.bytes)
        } else {
            bytes = try self.bytes(of: file, kind: kind, sizeLimit: sizeLimit)
        }
        guard let text = String(validating: bytes, as: UTF8.self), !text.contains("\0") else {
            throw malformed(file, "is not a text; a \(kind) is a YAML text in UTF-8")
        }
        return text
    }

    /// The path of a file named in the profile `file`: relative to its directory, unless absolute.
    static func path(of name: String, besides file: String) -> String {
        guard !name.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return name }
        let directory = file[...slash]
        return directory == "./" ? name : directory + name
    }

    /// The profile files in `directory`, by name; none if there is no such directory.
    static func files(in directory: String) throws(ProfileFileError) -> [String] {
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: directory)
            return names.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }
                .sorted().map { "\(directory)/\($0)" }
        } catch let error as CocoaError where error.isNoSuchFile {
            return []
        } catch {
            throw .inaccessible(file: directory, explanation: explanation(of: error))
        }
    }

    /// The name of `file` without directory and extension.
    static func stem(of file: String) -> String {
        URL(filePath: file).deletingPathExtension().lastPathComponent
    }

    private static func bytes(
        of file: String, kind: String, sizeLimit: Int
    ) throws(ProfileFileError) -> Data {
        let url = URL(filePath: file).resolvingSymlinksInPath()
        do {
            // Checked before opening: opening a named pipe would wait for its other end. Not by
            // FileManager, which looks up the owner's name: for that a statically linked program
            // loads modules of the system's C library, and can crash in them.
            let status = try? FilePath(url.path).stat(followTargetSymlink: false)
            switch status?.type {
            case .regular, nil: break
            case .symbolicLink where (try? FilePath(file).stat())?.type == .fifo:
                throw ProfileFileError.inaccessible(
                    file: file,
                    explanation: "is a pipe; name a YAML file, or - for standard input")
            case .symbolicLink:
                throw ProfileFileError.inaccessible(
                    file: file, explanation: "is a link that leads to no file")
            default:
                throw ProfileFileError.inaccessible(
                    file: file, explanation: "is not a file; name a YAML file")
            }
            guard status?.size ?? 0 <= sizeLimit else {
                throw tooLarge(file, kind: kind, sizeLimit: sizeLimit)
            }
            return try Data(contentsOf: url)
        } catch let error as ProfileFileError {
            throw error
        } catch {
            throw .inaccessible(file: file, explanation: explanation(of: error, kind: kind))
        }
    }

    private static func malformed(_ file: String, _ explanation: String) -> ProfileFileError {
        .malformed(ProfileError(file: title(of: file), explanation: explanation))
    }

    private static func tooLarge(
        _ file: String, kind: String, sizeLimit: Int
    ) -> ProfileFileError {
        malformed(file, "is larger than \(sizeLimit / 1024) KiB, which no \(kind) is")
    }

    /// What errors call a file.
    static func title(of file: String) -> String {
        file == StandardInput.name ? StandardInput.title : file
    }

    private static func explanation(of error: any Error, kind: String = "profile") -> String {
        switch error as? CocoaError {
        case let error? where error.isNoSuchFile:
            "no such file; linkcond list\(kind == "scenario" ? " --scenarios" : "") shows the "
                + "\(kind)s that need none"
        case let error? where error.code == .fileReadNoPermission:
            "you may not read it; change its permissions"
        case let error?:
            // The system's own message, such as "Not a directory".
            (error.underlying as? POSIXError).map {
                "cannot be read: \(Errno(rawValue: $0.code.rawValue))"
            } ?? "cannot be read (error \(error.code.rawValue))"
        case nil:
            "cannot be read: \(error)"
        }
    }
}

extension CocoaError {
    fileprivate var isNoSuchFile: Bool { code == .fileReadNoSuchFile || code == .fileNoSuchFile }
}

extension Profile {
    /// Whether all files named in the profile can be opened for reading.
    fileprivate var hasReadableTraces: Bool {
        [conditions.down.trace, conditions.up.trace].compactMap(\.self).allSatisfy { path in
            // Opening a named pipe would wait for its other end.
            let file = try? FileDescriptor.open(
                FilePath(path), .readOnly, options: [.nonBlocking, .closeOnExec])
            try? file?.close()
            return file != nil
        }
    }
}
