import LinkTesting
import SystemPackage
import Testing

@testable import LinuxKernel

@Suite("Network namespaces", .tags(.anyKernel))
struct NetworkNamespaceTests {
    @Test("The namespace of a process is found again by its inode")
    func open() throws {
        let inode = try NetworkNamespace.currentInode()
        let namespace = try #require(try NetworkNamespace.open(inode: inode))
        defer { try? namespace.close() }
        #expect(NetworkNamespace.inode(at: "/proc/self/fd/\(namespace.rawValue)") == inode)
        #expect(try NetworkNamespace.open(inode: 1) == nil)
        #expect(NetworkNamespace.isUsed(inode: inode))
        #expect(!NetworkNamespace.isUsed(inode: 1))
    }

    @Test("Mounted namespaces are found wherever they are")
    func mounts() {
        let text = """
            22 28 0:20 / /proc rw,nosuid - proc proc rw
            400 29 0:4 net:[4026532281] /run/netns/blue rw shared:9 - nsfs nsfs rw
            401 29 0:4 mnt:[4026532282] /run/snapd/ns/x.mnt rw - nsfs nsfs rw
            402 29 0:4 net:[4026532281] /run/docker/netns/b8dc rw - nsfs nsfs rw
            broken
            """
        let found = NetworkNamespace.mountPoints(in: text)
        #expect(found.map(\.path) == ["/run/netns/blue", "/run/docker/netns/b8dc"])
        #expect(found.allSatisfy { $0.inode == 4_026_532_281 })
    }
}
