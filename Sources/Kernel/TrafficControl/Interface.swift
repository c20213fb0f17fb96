import LinuxKernel

/// An interface that a message refers to: by index for the kernel, by name for people.
public struct Interface: Sendable, Hashable, CustomStringConvertible {
    /// The index in the network namespace.
    public let index: Int32
    /// The name, used in texts only.
    public let name: String

    /// Makes a reference.
    public init(index: Int32, name: String) {
        self.index = index
        self.name = name
    }

    /// The name.
    public var description: String { name }

    /// The name quoted for a shell command; the kernel forbids only blanks, `/` and `:` in names.
    var shellWord: ShellWord { ShellWord(name) }
}
