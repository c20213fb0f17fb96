public import SystemPackage

/// Both ends of a pipe, which programs that are started do not inherit.
public struct PipeEnds: Sendable {
    /// Where its bytes come out.
    public let reader: FileDescriptor
    /// Where they are put in.
    public let writer: FileDescriptor

    /// Makes a pipe.
    public init() throws(KernelError) {
        do {
            (reader, writer) = try HelperProgram.pipe()
        } catch {
            throw KernelError(.create, subject: "a pipe", errno: error as? Errno ?? .ioError)
        }
    }
}
