import CLinux
import Glibc
import SystemPackage

/// How a process ended.
public enum ProcessEnd: Sendable, Hashable {
    case exited(Int32)
    case killed(signal: Int32)

    /// The code by which a shell reports it: 128 and the number for a signal.
    public var shellCode: Int32 {
        switch self {
        case .exited(let code): code
        case .killed(let signal): 128 + signal
        }
    }
}

/// This process and its children.
public enum Process {
    /// Makes a copy of the process that runs `child`, and returns its ID.
    ///
    /// Swift's locks and `lazy` globals know their owner by a thread ID that each thread remembers
    /// and that a copied thread keeps, though it has another one: two threads of the copy that want
    /// the same lock then crash or spin for ever. So a thread that has nothing to remember is
    /// copied.
    ///
    /// Other threads are missing in the copy, with whatever they had locked: none may be at work.
    ///
    /// - Parameters:
    ///   - namespaces: What the copy gets for itself, and the caller does not.
    ///   - supply: Takes further network namespaces to the copy, which are made while it works.
    public static func fork(
        into namespaces: Namespaces = [], supply: NetworkSupply? = nil, _ child: () -> Never
    ) throws(KernelError) -> Int32 {
        let forked = withoutActuallyEscaping(child) { child in
            unsafe withUnsafePointer(to: child) { child in
                unsafe lc_fork(
                    namespaces.rawValue,
                    lc_network_supply(
                        count: Int32(supply?.count ?? 0), socket: supply?.maker.rawValue ?? -1),
                    { context in
                        if let context = unsafe context {
                            unsafe context.load(as: (() -> Never).self)()
                        }
                    }, UnsafeMutableRawPointer(mutating: child))
            }
        }
        try? supply?.taker.close()
        return try forked.process(in: namespaces)
    }

    /// Has the kernel kill this process when the thread that made it ends.
    public static func dieWithParent() {
        _ = lc_die_with_parent()
    }

    /// Ends the process without the clean-up that belongs to the one it was copied from.
    public static func exitAtOnce(_ code: Int32) -> Never {
        _exit(code)
    }

    /// Leaves the caller's terminal and process group, so that Ctrl-C means this process no more,
    /// and takes signals again that the caller had blocked, but for that of broken pipes.
    public static func startSession() {
        _ = setsid()
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe sigaddset(&none, SIGPIPE)
        unsafe sigprocmask(SIG_SETMASK, &none, nil)
    }

    /// The variables of the environment; without other threads that change it.
    public static var environment: [String: String] {
        var variables: [String: String] = [:]
        var entry = unsafe environ
        while let text = unsafe entry.pointee {
            let words = unsafe String(cString: text)
            if let sign = words.utf8.firstIndex(of: UInt8(ascii: "=")) {
                variables[String(words[..<sign])] = String(words[words.utf8.index(after: sign)...])
            }
            unsafe entry += 1
        }
        return variables
    }

    /// Sets a variable of the environment, for programs that are started from now on.
    ///
    /// Before any other thread is started.
    public static func setVariable(_ name: String, _ value: String) {
        _ = unsafe setenv(name, value, 1)
    }

    /// The next child that has ended, or nil if none has; does not wait.
    public static func reapAny() -> (process: Int32, end: ProcessEnd)? {
        var exit = lc_child_exit()
        guard unsafe lc_reap(-1, 0, &exit) == 1 else { return nil }
        return (exit.pid, ProcessEnd(exit))
    }

    /// The end of a child; nil if it has not ended, or is none. Does not wait.
    public static func reap(_ process: Int32) -> ProcessEnd? {
        var exit = lc_child_exit()
        guard unsafe lc_reap(process, 0, &exit) == 1 else { return nil }
        return ProcessEnd(exit)
    }

    /// Waits for a child; nil if there is no such child.
    public static func wait(for process: Int32) -> ProcessEnd? {
        var exit = lc_child_exit()
        guard unsafe lc_reap(process, 1, &exit) == 1 else { return nil }
        return ProcessEnd(exit)
    }

    /// Kills every other process of the namespace, of which the caller is the first process, and
    /// waits until they have ended.
    public static func endAllOthers() {
        _ = kill(-1, SIGKILL)
        var exit = lc_child_exit()
        // Whoever has lost its parent is a child of the first process.
        while unsafe lc_reap(-1, 1, &exit) == 1 {}
    }

    /// Whether the namespace, of which the caller is the first process, has any others. Those that
    /// have ended count until somebody takes note of it.
    public static var hasOthers: Bool { kill(-1, 0) == 0 }

    /// Sends a signal; a process that has ended already minds nothing.
    public static func signal(_ number: Int32, to process: Int32) {
        _ = kill(process, number)
    }

    /// Puts the calling process into a group of its own, to which its children will belong.
    public static func leadGroup() { _ = setpgid(0, 0) }

    /// Kills a process that leads a group, and the others of that.
    public static func killGroup(of process: Int32) {
        _ = kill(-process, SIGKILL)
        // The group may not be there yet.
        _ = kill(process, SIGKILL)
    }

    /// Whether the kernel tells of processes under `/proc`.
    public static var isProcMounted: Bool { unsafe access("/proc/self", F_OK) == 0 }

    /// Whether a process stands still until it gets `SIGCONT`; false if it cannot be seen.
    public static func isStopped(_ process: Int32) -> Bool {
        // Behind the name, which may hold anything: proc_pid_stat(5).
        guard let text = try? SmallFile.read("/proc/\(process)/stat"),
            let end = text.lastIndex(of: ")")
        else { return false }
        return ["T", "t"].contains(text[end...].dropFirst(2).first)
    }

    /// Whether a signal has stopped a child that is still stopped; true once for each stop. A
    /// debugger's stops do not count.
    public static func takeStop(of child: Int32) -> Bool { lc_take_stop(child) > 0 }

    /// Leaves the caller's session and process group, but not for the processes that it has started.
    ///
    /// The kernel's autogroups share out the processors among sessions, so that busy programs of the
    /// former session cannot keep the calling process waiting (sched(7)).
    public static func leaveSession() { _ = setsid() }

    /// Stops the processes of the caller's group as Ctrl-Z does, so that their shell takes the
    /// terminal back. Without such a shell nothing happens.
    public static func stopGroup() { _ = kill(0, SIGTSTP) }

    /// Continues a process and its group, unless that is in another process namespace.
    public static func continueGroup(of process: Int32) {
        let group = getpgid(process)
        _ = kill(group > 0 ? -group : process, SIGCONT)
    }

    /// The process that made this one, or has taken its place.
    public static var parent: Int32 { getppid() }

    /// Asks a process to end (`SIGTERM`).
    public static func terminate(_ process: Int32) { signal(SIGTERM, to: process) }

    /// The words of the command line behind the program's name, what is no UTF-8 replaced.
    public static var arguments: [String] { arguments(droppingFirst: 1).map(\.description) }

    /// The words of the command line, byte for byte, behind the first `count`.
    public static func arguments(droppingFirst count: Int) -> [RawText] {
        var number: Int32 = 0
        let words = unsafe lc_arguments(&number)
        guard let words = unsafe words, count < number else { return [] }
        return (count..<Int(number)).compactMap { index in
            unsafe words[index].map { unsafe RawText($0) }
        }
    }

    /// The words of the command line, byte for byte, behind the first `--`.
    public static var argumentsBehindHyphens: [RawText] {
        guard let hyphens = arguments.firstIndex(of: "--") else { return [] }
        return arguments(droppingFirst: hyphens + 2)
    }
}

extension ProcessEnd {
    /// How it ended, for people.
    public var text: String {
        switch self {
        case .exited(let code): "exit code \(code)"
        case .killed(let signal): "signal \(signal)"
        }
    }

    fileprivate init(_ exit: lc_child_exit) {
        self = exit.signal == 0 ? .exited(exit.code) : .killed(signal: exit.signal)
    }
}

/// A text of the system's that need not be UTF-8: an argument, a variable, a file name.
public struct RawText: Sendable, Hashable, CustomStringConvertible {
    /// The bytes without the zero at their end.
    let bytes: [CChar]

    /// A text of Swift's.
    public init(_ text: String) {
        bytes = text.utf8.map { CChar(bitPattern: $0) }
    }

    @unsafe
    init(_ pointer: UnsafePointer<CChar>) {
        bytes = unsafe Array(UnsafeBufferPointer(start: pointer, count: strlen(pointer)))
    }

    /// The text for people, what is no UTF-8 replaced.
    public var description: String {
        String(decoding: bytes.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
