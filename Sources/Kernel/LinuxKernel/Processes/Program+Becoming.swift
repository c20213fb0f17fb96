import Glibc
public import SystemPackage

extension Program {
    /// Makes the calling process this program, named by its path; returns only if that fails.
    ///
    /// Equivalent to `execve(2)`.
    public func become() -> Errno {
        let words = TextVector(arguments)
        let environment = TextVector(environmentWith: variables)
        guard let path = arguments.first?.description, let words = unsafe words.address,
            let environment = unsafe environment.address
        else { return .invalidArgument }
        _ = unsafe execve(path, words, environment)
        return Errno(rawValue: errno)
    }
}
