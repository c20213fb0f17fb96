public import SystemPackage

/// A failed system call: what was attempted, on what, and the kernel's reason.
public struct KernelError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was attempted.
    public enum Operation: String, Sendable {
        case open, read, write, create, enter, remove, lock, mount
    }

    /// What was attempted.
    public let operation: Operation
    /// The object, as a user would name it.
    public let subject: String
    /// The kernel's reason.
    public let errno: Errno

    /// Makes an error.
    public init(_ operation: Operation, subject: String, errno: Errno) {
        self.operation = operation
        self.subject = subject
        self.errno = errno
    }

    /// Makes the error of a process that did not start.
    init(starting subject: String, _ error: any Error) {
        let reason = (error as? Program.Failure)?.errno ?? (error as? KernelError)?.errno
        self.init(.create, subject: subject, errno: reason ?? error as? Errno ?? .ioError)
    }

    /// Whether a more privileged user would have succeeded.
    public var isMissingPrivilege: Bool {
        [.notPermitted, .permissionDenied].contains(errno)
    }

    /// One sentence, with a remedy where there is one.
    public var description: String {
        // What a file's permissions forbid to root has other reasons than capabilities.
        let hint =
            isMissingPrivilege
            ? errno == .permissionDenied && Privilege.isRoot ? "" : SandboxPrivilege.ofCaller.hint
            : limitHint
        return fact + hint
    }

    /// What failed and why, without a remedy.
    public var fact: String { "cannot \(operation.rawValue) \(subject): \(errno)" }

    /// Whether it is namespaces that could not be made.
    public var isOfNamespaces: Bool { operation == .create && subject.hasSuffix(" namespace") }

    /// How to resolve it if it is a limit of processes, namespaces, descriptors or memory, as the end
    /// of a sentence.
    public var limitHint: String {
        if errno == .noSpace, isOfNamespaces { return NamespaceLimit.hint(NamespaceLimit.setting) }
        if errno == .noMemory { return "; allow more with ulimit -v, or in vm.overcommit_memory" }
        return operation == .create ? ProcessLimit.hint(errno) : DescriptorLimit.hint(errno)
    }
}
