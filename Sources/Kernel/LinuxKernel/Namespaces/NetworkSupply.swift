import Glibc
public import SystemPackage

/// New network namespaces for a copy of this process, made by the thread that forked it while the copy
/// has other work: the kernel needs about as much time for each of them as for the copy itself.
public struct NetworkSupply: Sendable {
    let count: Int
    let maker: FileDescriptor
    let taker: FileDescriptor

    /// Prepares so many; pass it to one `Process.fork`.
    public init(count: Int) throws(KernelError) {
        let (maker, taker) = try MessageChannel.pair()
        self.count = count
        (self.maker, self.taker) = (maker.descriptor, taker.descriptor)
    }

    /// Begins to take, in the copy.
    public func beginTaking() { try? maker.close() }

    /// Moves the calling thread to the next one, and returns a descriptor of it. Where none comes, the
    /// thread makes it, or finds out why it cannot be made.
    public func enterNext() throws(KernelError) -> FileDescriptor {
        guard let next = try? DescriptorPassing.receive(from: taker).first else {
            return try Self.enterNew()
        }
        try NetworkNamespace.enter(next)
        return next
    }

    /// Ends taking, in the copy.
    public func endTaking() { try? taker.close() }

    /// Moves the calling thread to a network namespace that it makes, and returns a descriptor of it.
    public static func enterNew() throws(KernelError) -> FileDescriptor {
        try Namespaces.network.unshare()
        return try NetworkNamespace.openCurrent()
    }
}
