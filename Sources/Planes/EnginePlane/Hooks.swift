import SystemPackage

/// Redirects packets of all conditioned interfaces to the engine, and lets them pass unconditioned
/// when the engine dies.
///
/// There are two kinds: nftables tables (`PacketFilterHooks`), and tc filters for kernels where
/// nftables has no netdev hooks (`ClassifierHooks`).
protocol Hooks: AnyObject {
    /// Makes the kernel redirect packets by `tables`, whose keys are interface indexes; nil ends
    /// the redirection. Other interfaces stay as they are. Does all of it or nothing.
    ///
    /// - Parameter isForced: whether to continue where filters of other programs come first.
    func change(to tables: [Int32: HookTable?], isForced: Bool) throws(EngineError)

    /// Removes all of them for good, whatever state they are in.
    func end()

    /// Whether they are gone: by `end`, or because somebody has killed their process.
    var hasEnded: Bool { get }

    /// Becomes readable when they may be gone; nil where nobody can remove them.
    var descriptor: FileDescriptor? { get }

    /// The child process that holds the hooks.
    var process: Int32? { get }

    /// Looks again for open sockets of chosen programs. To be called now and then.
    func findOpenSockets()

    /// Whether somebody has removed what redirects the packets of the interface with this index.
    func isBroken(at index: Int32) -> Bool

    /// The gate that has to be held open for packets to be redirected.
    var gate: any Gate { get }
}
