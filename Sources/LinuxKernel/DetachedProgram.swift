import Glibc
import SystemPackage

/// A copy of the running program that goes on after its caller has ended.
///
/// The caller starts it, hears what it says once it is ready, goes on with its own work, and lets
/// go of it then. The copy learns from its standard input when that is, also when the caller is
/// killed before.
public final class DetachedProgram: Sendable {
    private let lifeline: OwnedDescriptor
    private let voice: OwnedDescriptor

    /// Starts the running program with other arguments, in the namespaces of the calling thread.
    public init(arguments: [String]) throws(KernelError) {
        do {
            let (input, lifeline) = try HelperProgram.pipe()
            defer { try? input.close() }
            self.lifeline = OwnedDescriptor(adopting: lifeline)
            let (voice, output) = try HelperProgram.pipe()
            defer { try? output.close() }
            self.voice = OwnedDescriptor(adopting: voice)
            let nothing = try FileDescriptor.open(
                FilePath("/dev/null"), .writeOnly, options: .closeOnExec)
            defer { try? nothing.close() }
            var program = Program(([OwnProgram.path] + arguments).map { RawText($0) })
            program.streams = [input, output, nothing]
            _ = try program.start()
        } catch {
            let errno = (error as? Program.Failure)?.errno ?? error as? Errno ?? .ioError
            throw KernelError(.create, subject: "a process of linkcond", errno: errno)
        }
    }

    /// What it says, up to the end of a line; waits for it.
    public func hear() -> String {
        var said: [UInt8] = []
        var byte: [UInt8] = [0]
        while true {
            let count =
                unsafe (try? byte.withUnsafeMutableBytes {
                    try unsafe voice.raw.read(into: $0)
                }) ?? 0
            guard count == 1, byte[0] != UInt8(ascii: "\n") else {
                return String(decoding: said, as: UTF8.self)
            }
            said += byte
        }
    }

    /// Tells it that the caller has done its work. To be killed tells it as well, unless a process
    /// that the caller made holds its descriptors open.
    public func release() {
        _ = try? lifeline.raw.writeAll([0])
    }
}

extension DetachedProgram {
    /// In the copy: leaves the session of the caller, whose end would be its own as well.
    public static func leaveSession() {
        _ = setsid()
        _ = unsafe chdir("/")
    }

    /// In the copy: says something to the caller.
    public static func say(_ line: String) {
        _ = try? FileDescriptor.standardOutput.writeAll("\(line)\n".utf8)
    }

    /// In the copy: waits until the caller lets go of it or has ended, and leaves its streams.
    ///
    /// - Returns: whether the caller has done its work; false if it ended before.
    public static func waitForRelease() -> Bool {
        var byte: [UInt8] = [0]
        let count = unsafe try? byte.withUnsafeMutableBytes {
            try unsafe FileDescriptor.standardInput.read(into: $0)
        }
        leaveStreams()
        return count == 1
    }

    private static func leaveStreams() {
        guard let nothing = try? FileDescriptor.open(FilePath("/dev/null"), .readWrite) else {
            return
        }
        for number in 0...2 as ClosedRange<Int32> where number != nothing.rawValue {
            _ = dup2(nothing.rawValue, number)
        }
        if nothing.rawValue > 2 { try? nothing.close() }
    }
}
