/// A user whose directories are read with that user's rights by a more privileged process.
public struct DirectoryOwner: Sendable {
    /// The directories.
    let directories: Set<String>
    /// Runs work with the owner's file access rights.
    let act: @Sendable (_ work: () -> Void) throws -> Void

    /// Makes an owner of `directories`; `act` runs work with the owner's rights.
    public init(of directories: [String], act: @escaping @Sendable (() -> Void) throws -> Void) {
        self.directories = Set(directories)
        self.act = act
    }
}

extension DirectoryOwner? {
    /// Runs `body`, which accesses `directory`, with the owner's rights if the owner's list has it.
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

    /// What `read` makes of the files in `directories`, and the problems with the others.
    func entries<Entry>(
        in directories: [String], _ read: (String) throws(ProfileFileError) -> Entry
    ) -> (entries: [Entry], problems: [ProfileFileError]) {
        var entries: [Entry] = []
        var problems: [ProfileFileError] = []
        for directory in directories {
            do throws(ProfileFileError) {
                for file in try files(in: directory) {
                    do throws(ProfileFileError) {
                        entries.append(
                            try acting(in: directory) { () throws(ProfileFileError) in
                                try read(file)
                            })
                    } catch {
                        problems.append(error)
                    }
                }
            } catch {
                problems.append(error)
            }
        }
        return (entries, problems)
    }

    /// The profile files in `directory`, by name.
    private func files(in directory: String) throws(ProfileFileError) -> [String] {
        try acting(in: directory) { () throws(ProfileFileError) in
            try ProfileFile.files(in: directory)
        }
    }
}
