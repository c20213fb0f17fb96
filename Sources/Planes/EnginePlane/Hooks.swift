import SystemPackage

/// What takes the packets of interfaces to the engine, for all its interfaces, and lets them go
/// their ordinary way when the engine dies.
///
/// There are two kinds: tables of nftables (`PacketFilterHooks`), and filters of tc for kernels
/// where nftables has no hooks on devices (`ClassifierHooks`).
protocol Hooks: AnyObject {
    /// Has the kernel take packets as `tables` say, by the indexes of their interfaces, and no
    /// more where there is nil; other interfaces stay as they are. All of it or nothing is done.
    ///
    /// - Parameter isForced: whether to go on where filters of other programs come first.
    func change(to tables: [Int32: HookTable?], isForced: Bool) throws(EngineError)

    /// Takes all of them away for good, whatever is the matter with them.
    func end()

    /// Whether they are gone: by `end`, or because somebody has killed their process.
    var hasEnded: Bool { get }

    /// Something to read means that they may be gone; nil where nobody can take them away.
    var descriptor: FileDescriptor? { get }

    /// A child process that has the hooks.
    var process: Int32? { get }

    /// What has to be held open for packets to be taken.
    var gate: any Gate { get }
}
