import CLinux
import Glibc
import SystemPackage

extension Process {
    /// Makes a copy of the process as `fork` does, without root: in a user namespace of the caller,
    /// where the copy has all privileges and its child processes have none.
    ///
    /// A process between the two makes that namespace, for which a process may have only one thread,
    /// and lives as long as the copy, whose `shellCode` it ends with. It is a child of the caller, and dies
    /// with it. Equivalent to `unshare --map-current-user` with further namespaces.
    ///
    /// - Parameters:
    ///   - isRoot: whether the user and the group are called root there. Then the copy's child
    ///     processes have all privileges there too. Equivalent to `unshare --map-root-user`.
    ///   - namespaces: What the copy gets for itself, besides the user namespace.
    ///   - supply: Takes further network namespaces to the copy.
    ///   - report: Runs in the process between, with the ID of the copy or why there is none.
    /// - Returns: The process between.
    public static func forkAsOwner(
        asRoot isRoot: Bool = false, into namespaces: Namespaces, supply: NetworkSupply,
        report: (Result<Int32, KernelError>) -> Void, _ child: () -> Never
    ) throws(KernelError) -> Int32 {
        let forked = withoutActuallyEscaping(report) { report in
            withoutActuallyEscaping(child) { child in
                let roles = Roles(namespaces: namespaces, report: report, child: child)
                return unsafe withUnsafePointer(to: roles) { roles in
                    unsafe lc_fork_as_owner(
                        isRoot ? 1 : 0, namespaces.rawValue,
                        lc_network_supply(
                            count: Int32(supply.count), socket: supply.maker.rawValue),
                        { context, forked in
                            guard let context = unsafe context else { return }
                            unsafe context.load(as: Roles.self).report(forked)
                        },
                        { context in
                            if let context = unsafe context {
                                unsafe context.load(as: Roles.self).child()
                            }
                        }, UnsafeMutableRawPointer(mutating: roles))
                }
            }
        }
        try? supply.taker.close()
        return try forked.process(in: namespaces)
    }

    /// What the two processes do.
    private struct Roles {
        let namespaces: Namespaces
        let report: (Result<Int32, KernelError>) -> Void
        let child: () -> Never

        func report(_ forked: lc_forked) {
            report(Result { () throws(KernelError) in try forked.process(in: namespaces) })
        }
    }
}

extension lc_forked {
    /// The process, which was to be in namespaces of these kinds.
    func process(in namespaces: Namespaces) throws(KernelError) -> Int32 {
        switch step {
        case LC_FORK_NAMESPACES: try checked(process, .create, "\(namespaces)")
        case LC_FORK_USER_NAMESPACE: try checked(process, .create, "a user namespace")
        case LC_FORK_SETGROUPS: try checked(process, .write, "/proc/self/setgroups")
        case LC_FORK_USER_MAP: try checked(process, .write, "/proc/self/uid_map")
        case LC_FORK_GROUP_MAP: try checked(process, .write, "/proc/self/gid_map")
        default: try checked(process, .create, "a process")
        }
    }
}
