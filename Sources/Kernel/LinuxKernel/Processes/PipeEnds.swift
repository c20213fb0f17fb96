import CLinux
public import SystemPackage

/// Both ends of a pipe, which programs that are started do not inherit.
public struct PipeEnds: Sendable {
    /// Where its bytes come out.
    public let reader: FileDescriptor
    /// Where they are put in.
    public let writer: FileDescriptor

    /// Makes a pipe.
    public init() throws(KernelError) {
        var ends: [Int32] = [-1, -1]
        try checked(unsafe lc_pipe_ends(&ends), .create, "a pipe")
        (reader, writer) = (FileDescriptor(rawValue: ends[0]), FileDescriptor(rawValue: ends[1]))
    }
}
