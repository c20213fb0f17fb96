import Foundation
import LinuxKernel
public import SystemPackage

/// A network namespace of a test's own, which has the `TestParameters`, whatever the host has.
///
/// It is gone with this object, and so are the processes in it: also where a test fails, or is
/// broken off. Of one without a name nothing is left even if the tests are killed.
public final class TestNamespace: Sendable {
    /// What holds it.
    public let descriptor: FileDescriptor
    private let inode: UInt64
    private let name: String?

    /// Makes a namespace, and runs `script` there.
    public convenience init(_ script: String = "") throws {
        let (descriptor, inode) = try NetworkNamespace.withNew { try Self.prepared() }
        self.init(descriptor, inode, name: nil)
        if !script.isEmpty { try shell(script) }
    }

    /// Makes a namespace that `ip netns` finds by this name.
    public convenience init(named name: String) throws {
        try LinkTesting.shell("exec ip netns add \(name)")
        do {
            let (descriptor, inode) = try NetworkNamespace.run(
                inNamespaceAt: "/run/netns/\(name)"
            ) { try Self.prepared() }
            self.init(descriptor, inode, name: name)
        } catch {
            Self.remove(name)
            throw error
        }
    }

    private init(_ descriptor: FileDescriptor, _ inode: UInt64, name: String?) {
        (self.descriptor, self.inode, self.name) = (descriptor, inode, name)
    }

    deinit {
        killProcesses()
        name.map(Self.remove)
        try? descriptor.close()
    }

    private static func prepared() throws -> (FileDescriptor, UInt64) {
        TestParameters.set()
        return (try NetworkNamespace.openCurrent(), try NetworkNamespace.currentInode())
    }

    /// By itself, since the task of a test that is broken off can wait for no program.
    private static func remove(_ name: String) {
        _ = unsafe umount2("/run/netns/\(name)", Int32(MNT_DETACH))
        _ = unsafe unlink("/run/netns/\(name)")
    }

    /// Where any program finds it.
    public var path: String { "/proc/\(getpid())/fd/\(descriptor.rawValue)" }

    /// What a shell writes before a command that is to run there.
    public var entering: String { "nsenter --net=\(path)" }

    /// Runs `body` there, on a thread of its own.
    public func inside<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) throws -> Value {
        try NetworkNamespace.run(inNamespaceAt: path, body)
    }

    /// Runs `script` there with `/bin/sh` and returns its output.
    @discardableResult
    public func shell(_ script: String) throws -> String {
        try inside { try LinkTesting.shell(script) }
    }

    /// Kills the processes in it, and those that they have started meanwhile.
    private func killProcesses() {
        for _ in 0..<100 {
            let processes = self.processes
            guard !processes.isEmpty else { return }
            for process in processes { kill(process, SIGKILL) }
            usleep(1000)
        }
    }

    private var processes: [Int32] {
        let files = FileManager.default
        let entries = (try? files.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { Int32($0) }.filter { process in
            // A thread of the tests may be in there.
            process != getpid()
                && (try? files.destinationOfSymbolicLink(atPath: "/proc/\(process)/ns/net"))
                    == "net:[\(inode)]"
        }
    }
}

extension TestNamespace {
    /// Gives a namespace two interfaces that lead nowhere: `wifi0` with 192.0.2.2 and fd00::2, and
    /// `cell0` with 198.51.100.2 and a default route.
    public static let phoneScript = """
        set -e
        ip link set lo up
        for name in wifi cell; do
            ip link add ${name}0 type veth peer name ${name}1
            for end in ${name}0 ${name}1; do
                ip link set $end addrgenmode none
                ip link set $end up
            done
        done
        ip address add 192.0.2.2/24 dev wifi0
        ip address add fd00::2/64 dev wifi0 nodad
        ip address add 198.51.100.2/24 dev cell0
        ip route add default via 198.51.100.1 dev cell0 metric 700

        """
}
