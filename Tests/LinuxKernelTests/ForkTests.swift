import Glibc
import LinkTesting
import LinuxKernel
import Synchronization
import Testing

/// One at a time: a copy waits for ever for a lock that another thread of the original had, be it only
/// one of Swift's own, and this process has threads for all tests that run beside each other.
@Suite("Forks", .tags(.anyKernel, .measure))
struct ForkTests {
    @Test("Threads of a copy share locks, though the original has used them before")
    func locks() throws {
        let warm = Mutex(0)
        warm.withLock { $0 += 1 }
        let child = try LinuxKernel.Process.fork {
            _ = alarm(60)
            let counter = Counter()
            let other = try? KernelThread(named: "other") { counter.count() }
            counter.count()
            other?.join()
            let isRight = counter.value.withLock { $0 } == 2 * Counter.times
            LinuxKernel.Process.exitAtOnce(isRight ? 7 : 8)
        }
        #expect(LinuxKernel.Process.wait(for: child) == .exited(7))
    }

    @Test("A copy has the signals that its caller had blocked, and no others")
    func signals() throws {
        var before = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, nil, &before)
        let isBlocked = (1..<32).map { unsafe sigismember(&before, $0) }
        let child = try LinuxKernel.Process.fork {
            var mask = sigset_t()
            unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
            let found = (1..<32).map { unsafe sigismember(&mask, $0) }
            LinuxKernel.Process.exitAtOnce(found == isBlocked ? 7 : 8)
        }
        #expect(LinuxKernel.Process.wait(for: child) == .exited(7))
    }

    @Test("A copy hurries with its caller, and has the caller's own priority after that")
    func hurry() throws {
        let (first, later) = (5, 6)
        let code = Mutex<ProcessEnd?>(nil)
        // The priority of the calling thread alone.
        try KernelThread(named: "hurrying") {
            Self.niceness = first
            KernelThread.hurry()
            let hurried = Self.niceness
            let child = try? LinuxKernel.Process.fork {
                var isRight = Self.niceness == hurried
                KernelThread.relax()
                isRight = isRight && Self.niceness == first
                Self.niceness = later
                KernelThread.relax()
                isRight = isRight && Self.niceness == later
                LinuxKernel.Process.exitAtOnce(isRight ? 7 : 8)
            }
            let end = child.flatMap { LinuxKernel.Process.wait(for: $0) }
            code.withLock { $0 = Self.niceness == hurried ? end : nil }
        }.join()
        #expect(code.withLock { $0 } == .exited(7))
    }

    @Test("What a hurrying thread starts does not hurry")
    func heirs() throws {
        let found = Mutex<[Int]>([])
        try KernelThread(named: "hurrying") {
            KernelThread.hurry()
            try? KernelThread(named: "other") {
                found.withLock { $0.append(Self.niceness) }
            }.join()
            let program = Program(["sh", "-c", "exit $(nice)"].map { RawText($0) })
            let process = try? program.start()
            if let process, case .exited(let code) = LinuxKernel.Process.wait(for: process) {
                found.withLock { $0.append(Int(code)) }
            }
        }.join()
        #expect(found.withLock { $0 } == [Self.niceness, Self.niceness])
    }

    private static var niceness: Int {
        get { Int(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)) }
        set { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Int32(newValue)) }
    }

    @Test("Namespaces are the copy's alone", .requiresNamespaces)
    func namespaces() throws {
        let here = try NetworkNamespace.currentInode()
        let child = try LinuxKernel.Process.fork(into: [.network, .process]) {
            let isOther = (try? NetworkNamespace.currentInode()) != here
            LinuxKernel.Process.exitAtOnce(isOther && getpid() == 1 ? 7 : 8)
        }
        #expect(LinuxKernel.Process.wait(for: child) == .exited(7))
        #expect(try NetworkNamespace.currentInode() == here)
    }

    @Test("A copy owns its user namespace, and its caller learns its ID", .requiresNamespaces)
    func owner() throws {
        let (channel, inner) = try MessageChannel.pair()
        defer { channel.close() }
        let supply = try NetworkSupply(count: 1)
        let user = getuid()
        let here = try NetworkNamespace.currentInode()
        _ = try LinuxKernel.Process.forkAsOwner(into: [.network, .process], supply: supply) {
            result in
            inner.send(Array("\((try? result.get()) ?? 0)".utf8))
        } _: {
            supply.beginTaking()
            let before = try? NetworkNamespace.currentInode()
            _ = try? supply.enterNext()
            let after = try? NetworkNamespace.currentInode()
            let isRight =
                getpid() == 1 && getuid() == user && Privilege.mayMakeNamespaces
                && Set([here, before, after]).count == 3
            inner.send(Array(isRight ? "right".utf8 : "wrong".utf8))
            _ = inner.receive()
            LinuxKernel.Process.exitAtOnce(7)
        }
        inner.close()
        let messages = try (0..<2).map { _ in
            String(decoding: try #require(channel.receive()), as: UTF8.self)
        }
        let process = try #require(messages.compactMap(Int32.init).first)
        #expect(messages.contains("right") && kill(process, 0) == 0, "\(messages)")
        channel.finishSending()
        #expect(channel.receive() == nil)
    }

    @Test("A copy gets network namespaces that its caller makes", .requiresNamespaces)
    func supply() throws {
        let (channel, inner) = try MessageChannel.pair()
        defer { channel.close() }
        let supply = try NetworkSupply(count: 2)
        let child = try LinuxKernel.Process.fork(into: .network, supply: supply) {
            channel.close()
            supply.beginTaking()
            // Nobody else would keep the first, and a later one could get its number. Not by `FilePath`,
            // whose first use takes a lock of Swift's that a thread of the original may have.
            _ = unsafe open("/proc/self/ns/net", O_RDONLY)
            var found = [try? NetworkNamespace.currentInode()]
            for _ in 0..<3 {
                _ = try? supply.enterNext()
                found.append(try? NetworkNamespace.currentInode())
            }
            inner.send(Array(found.map { "\($0 ?? 0)" }.joined(separator: " ").utf8))
            // The thread that made it lives as long as the copy.
            _ = inner.receive()
            LinuxKernel.Process.exitAtOnce(7)
        }
        inner.close()
        let message = try #require(channel.receive())
        let found = String(decoding: message, as: UTF8.self).split(separator: " ").map(String.init)
        #expect(Set(found + ["\(try NetworkNamespace.currentInode())"]).count == 5, "\(found)")
        let networks = Self.networksOfThreads()
        #expect(networks.contains(found[2]) && !networks.contains(found[3]), "\(networks)")
        channel.finishSending()
        #expect(LinuxKernel.Process.wait(for: child) == .exited(7))
    }

    /// The inodes of the network namespaces in which threads of this process are.
    private static func networksOfThreads() -> Set<String> {
        Set(
            SmallFile.names(in: "/proc/self/task").compactMap { thread in
                var status = stat()
                let path = "/proc/self/task/\(thread)/ns/net"
                return unsafe stat(path, &status) == 0 ? "\(status.st_ino)" : nil
            })
    }

    @Test("The environment has variables whose values have equals signs")
    func environment() throws {
        let child = try LinuxKernel.Process.fork {
            LinuxKernel.Process.setVariable("LINKCOND_TEST", "a=b=")
            let environment = LinuxKernel.Process.environment
            let isRight =
                environment["LINKCOND_TEST"] == "a=b=" && environment["PATH"] != nil
            LinuxKernel.Process.exitAtOnce(isRight ? 7 : 8)
        }
        #expect(LinuxKernel.Process.wait(for: child) == .exited(7))
    }

    private final class Counter: Sendable {
        static let times = 500_000
        let value = Mutex(0)

        func count() {
            for _ in 0..<Self.times { value.withLock { $0 += 1 } }
        }
    }
}
