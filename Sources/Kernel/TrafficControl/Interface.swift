import LinuxKernel

/// An interface that a message names: by its index for the kernel, by its name for people.
public struct Interface: Sendable, Hashable, CustomStringConvertible {
    /// The index in the network namespace.
    public let index: Int32
    /// The name, for texts only.
    public let name: String

    /// Makes a reference.
    public init(index: Int32, name: String) {
        self.index = index
        self.name = name
    }

    /// The name.
    public var description: String { name }

    /// The name in a command; the kernel forbids blanks, `/` and `:` in names, and no more.
    var shellWord: ShellWord { ShellWord(name) }
}
