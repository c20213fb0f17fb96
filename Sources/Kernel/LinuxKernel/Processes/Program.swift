import CLinux
import Glibc
public import SystemPackage

/// A program to be started, and where.
public struct Program: Sendable {
    /// Whom a program runs as.
    public struct Identity: Sendable, Hashable {
        /// The user.
        public var user: UInt32
        /// The group of files that it makes.
        public var group: UInt32
        /// All groups that it belongs to.
        public var groups: [UInt32]

        /// Names a user with the groups.
        public init(user: UInt32, group: UInt32, groups: [UInt32]) {
            self.user = user
            self.group = group
            self.groups = groups
        }
    }

    /// A process that ends a program when this process ends, and restores parameters.
    struct Guardian: Sendable {
        /// One end of a pipe; this process holds the other end.
        let lifeline: FileDescriptor
        /// A descriptor that the guardian keeps open while the program runs.
        let kept: FileDescriptor?
        /// The parameters that it restores.
        let parameters: [lc_shared_parameter]
    }

    /// Why a program did not start.
    public struct Failure: Error, Sendable, Hashable {
        /// The kernel's reason.
        public let errno: Errno
        /// Whether the program itself was the reason: not found, not executable.
        public let isOfProgram: Bool
    }

    /// The words; the first names the program, which is looked up in `PATH` if it has no slash.
    public var arguments: [RawText]
    /// The network namespace; nil: the caller's.
    public var network: FileDescriptor?
    /// Standard input, output and error, and a fourth descriptor; nil: the caller's.
    public var streams: [FileDescriptor?] = []
    /// `/dev/null`, as a stream.
    public static let nothing = FileDescriptor(rawValue: LC_NOTHING)
    /// Whether it leads a session of its own, without the caller's terminal. The number of the
    /// session is that of its process.
    public var startsSession = false
    /// Whether it leads its own process group, to which the terminal's Ctrl-C does not go.
    var leadsGroup = false
    /// Environment variables, in addition to those of this process.
    public var variables: [String: String] = [:]
    /// Another user; nil: the caller's.
    public var identity: Identity?
    /// Whether the kernel kills it when the thread that starts it ends.
    public var diesWithParent = false
    /// Whether it has nothing open but the streams, though a library of the caller's has opened
    /// descriptors that others inherit.
    public var hasOnlyStreams = false
    /// Whether it outlives the caller, and has nothing of the caller's but the streams.
    var isDetached = false
    /// Its guardian; nil: none.
    var guardian: Guardian?

    /// Names a program.
    public init(_ arguments: [RawText]) {
        self.arguments = arguments
    }

    /// Names a program, and the words after its name.
    public init(_ path: String, _ arguments: [String]) {
        self.init(([path] + arguments).map { RawText($0) })
    }

    /// Whether a file of its name is where it would be looked for.
    ///
    /// A directory of `PATH` that the caller may not read makes the kernel's error say that the
    /// program may not be executed, though there is none.
    public var isInPath: Bool {
        guard let name = arguments.first?.description, !name.contains("/") else { return true }
        let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/bin:/usr/bin"
        return path.split(separator: ":").contains { unsafe access("\($0)/\(name)", F_OK) == 0 }
    }

    /// Starts it and returns its process ID; the guardian's if it has one.
    ///
    /// No signal is blocked in it; those that this process ignores it ignores as well, unless it
    /// is detached or guarded.
    public func start() throws(Failure) -> Int32 {
        let words = TextVector(arguments)
        let environment = TextVector(environmentWith: variables)
        let groups = identity?.groups ?? []
        let parameters = guardian?.parameters ?? []
        let file = { (index: Int) -> Int32 in
            index < streams.count ? streams[index]?.rawValue ?? -1 : -1
        }
        var isOfProgram: Int32 = 0
        let status = unsafe groups.withUnsafeBufferPointer { groups in
            unsafe parameters.withUnsafeBufferPointer { parameters in
                var program = unsafe lc_program(
                    arguments: words.address, environment: environment.address,
                    network: network?.rawValue ?? -1,
                    streams: (file(0), file(1), file(2), file(3)),
                    starts_session: startsSession ? 1 : 0, leads_group: leadsGroup ? 1 : 0,
                    changes_identity: identity == nil ? 0 : 1, user: identity?.user ?? 0,
                    group: identity?.group ?? 0, groups: groups.baseAddress,
                    group_count: Int32(groups.count),
                    dies_with_parent: diesWithParent ? 1 : 0,
                    has_only_streams: hasOnlyStreams ? 1 : 0,
                    is_detached: isDetached ? 1 : 0,
                    guardian: lc_guardian(
                        lifeline: guardian?.lifeline.rawValue ?? -1,
                        kept: guardian?.kept?.rawValue ?? -1,
                        parameters: parameters.baseAddress,
                        parameter_count: Int32(parameters.count)))
                return unsafe lc_spawn(&program, &isOfProgram)
            }
        }
        guard status > 0 else {
            throw Failure(errno: Errno(rawValue: -status), isOfProgram: isOfProgram == 1)
        }
        return status
    }
}
