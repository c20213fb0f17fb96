import Foundation
import LinuxKernel
import SystemPackage

/// A process that works for an app in the background, within limits.
///
/// Its parent watches the time and the memory. When a limit is reached, it asks the process to end
/// (`SIGTERM`, upon which the process can put its work down), and kills it after a grace period.
public struct ExtensionProcess: Sendable {
    /// What a process may take.
    public struct Limits: Hashable, Sendable {
        /// The time from its start.
        public var time = Duration.seconds(30)
        /// The memory of its own, in bytes: `RssAnon` of proc_pid_status(5), which does not count
        /// the program and its libraries.
        public var memory: Int64 = 64 << 20
        /// The time to end after it was asked to.
        public var grace = Duration.seconds(2)

        /// The default limits.
        public init() {}
    }

    /// How a process ended.
    public enum Outcome: Hashable, Sendable {
        /// By itself.
        case ended(code: Int32)
        /// After it was asked to.
        case terminated(Reason, code: Int32)
        /// It was asked to and did not.
        case killed(Reason)
    }

    /// Why a process was asked to end.
    public enum Reason: String, Hashable, Sendable {
        case time
        case memory
        case request
    }

    private static let interval = Duration.milliseconds(100)

    /// Runs a program until it ends. Blocks the calling thread, which must not end before: the
    /// kernel kills the program with it.
    public static func run(
        _ program: String, _ arguments: [String], limits: Limits
    ) throws(AssetError) -> Outcome {
        do {
            var process = Program(program, arguments)
            process.diesWithParent = true
            let number = try process.start()
            let end = try ProcessDescriptor(number)
            let deadline = ContinuousClock.now + limits.time
            var reason: Reason?
            while reason == nil {
                let pause = min(max(.zero, deadline - .now), interval)
                if !Readiness.wait(for: [end.descriptor], timeout: pause).isEmpty { break }
                if ContinuousClock.now >= deadline { reason = .time }
                if memory(of: number) > limits.memory { reason = .memory }
            }
            let isKilled = reason != nil && !terminate(number, end, within: limits.grace)
            let code = Process.wait(for: number)?.shellCode ?? 0
            guard let reason else { return .ended(code: code) }
            return isKilled ? .killed(reason) : .terminated(reason, code: code)
        } catch {
            throw .storage(path: program, "\(error)")
        }
    }

    /// Ends the process that works on a store; nil if there is none.
    public static func terminate(
        _ store: AssetStore, grace: Duration = Limits().grace
    ) throws(AssetError) -> Outcome? {
        guard let holder = AssetLease.holder(in: store.own) else { return nil }
        do {
            let end = try ProcessDescriptor(holder.process)
            // The number may have been given to another process meanwhile.
            guard AssetLease.holder(in: store.own)?.process == holder.process else { return nil }
            return terminate(holder.process, end, within: grace)
                ? .terminated(.request, code: 0) : .killed(.request)
        } catch {
            guard error.errno != .noSuchProcess else { return nil }
            throw .storage(path: "\(holder)", "\(error)")
        }
    }

    /// Returns whether it ended without being killed.
    private static func terminate(
        _ process: Int32, _ end: ProcessDescriptor, within grace: Duration
    ) -> Bool {
        Process.terminate(process)
        if !Readiness.wait(for: [end.descriptor], timeout: grace).isEmpty { return true }
        Process.signal(SIGKILL, to: process)
        _ = Readiness.wait(for: [end.descriptor], timeout: grace)
        return false
    }

    private static func memory(of process: Int32) -> Int64 {
        guard let text = try? SmallFile.read("/proc/\(process)/status"),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") }),
            let kibibytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first
        else { return 0 }
        return (Int64(kibibytes) ?? 0) << 10
    }
}
