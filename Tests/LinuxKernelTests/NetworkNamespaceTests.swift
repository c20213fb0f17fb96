import LinkTesting
import Testing

@testable import LinuxKernel

@Suite("Network namespaces", .tags(.anyKernel))
struct NetworkNamespaceTests {
    @Test("The namespace of a process is found again by its inode")
    func path() throws {
        let inode = try NetworkNamespace.currentInode()
        let path = try #require(NetworkNamespace.path(ofInode: inode))
        #expect(NetworkNamespace.inode(at: path) == inode)
        #expect(NetworkNamespace.path(ofInode: 1) == nil)
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
