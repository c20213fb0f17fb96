/// Somebody whose directories are read in their name, by a process that could read more.
public struct DirectoryOwner: Sendable {
    /// The directories.
    let directories: Set<String>
    /// Runs work with the owner's rights to files.
    let act: @Sendable (_ work: () -> Void) throws -> Void

    /// Names the directories of somebody with whose rights `act` runs what it is given.
    public init(of directories: [String], act: @escaping @Sendable (() -> Void) throws -> Void) {
        self.directories = Set(directories)
        self.act = act
    }
}

extension DirectoryOwner? {
    /// Runs `body`, which looks into `directory`, with the owner's rights if it is the owner's.
    func acting<Value>(
        in directory: String, _ body: () throws(ProfileFileError) -> Value
    ) throws(ProfileFileError) -> Value {
        guard let owner = self, owner.directories.contains(directory) else { return try body() }
        var result: Result<Value, ProfileFileError>?
        do {
            try owner.act { result = Result(catching: body) }
        } catch {
            throw .inaccessible(file: directory, explanation: "\(error)")
        }
        guard let result else { preconditionFailure("work that was asked for is done") }
        return try result.get()
    }

    /// The profile files in `directory`, by name.
    func files(in directory: String) throws(ProfileFileError) -> [String] {
        try acting(in: directory) { () throws(ProfileFileError) in
            try ProfileFile.files(in: directory)
        }
    }
}
