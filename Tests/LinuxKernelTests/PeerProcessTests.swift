import Foundation
import LinkTesting
import SystemPackage
import Testing

@testable import LinuxKernel

/// Who is let change the network by way of a service: processes that could do it themselves.
@Suite("Process at the other end", .requiresNamespaces, .tags(.anyKernel))
struct PeerProcessTests {
    /// Connects, says so, sends what its first argument is, and stays until it hears something.
    private static let client = """
        import os, socket, sys
        channel = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        channel.settimeout(20)
        channel.connect("\\0" + sys.argv[1])
        if sys.argv[2] == "leave" and os.fork() > 0:
            os._exit(0)
        channel.send(b"hello")
        channel.recv(10)
        """

    /// What the service finds of a client that is started by some words.
    private static func lack(
        ofClientStartedBy words: [String], andThen action: String = "stay"
    ) async throws -> (lack: PeerProcess.Lack?, hasSent: Bool) {
        let name = "lctest-peer-\(UUID())"
        let service = try ServiceSocket(name: name)
        let words = words + ["python3", "-c", client, name, action]
        // Where an ordinary user finds programs.
        let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        async let process = runProcess(
            words[0], Array(words.dropFirst()), environment: environment, timeout: .seconds(30))
        var found: (PeerProcess.Lack?, Bool) = (nil, false)
        var accepted: MessageChannel?
        for _ in 0..<1000 where accepted == nil {
            try await Task.sleep(for: .milliseconds(20))
            accepted = service.accept()
        }
        let channel = try #require(accepted, "nobody has connected")
        if action == "leave" {
            // The parent's end.
            _ = try await process
        }
        do throws(PeerProcess.Lack) {
            let peer = try PeerProcess(at: channel)
            try peer.checkMayChangeNetwork()
            if let message = try? channel.receive(atMost: 100) {
                found.1 = message.bytes == Array("hello".utf8) && peer.isSender(of: message)
            }
        } catch {
            found.0 = error
        }
        channel.send([1])
        channel.close()
        _ = try? await process
        return found
    }

    @Test("one with the right to change the network is let do it")
    func admitted() async throws {
        let found = try await Self.lack(ofClientStartedBy: ["env"])
        #expect(found.lack == nil && found.hasSent)
    }

    @Test("and in another mount namespace, as ip netns exec makes one")
    func mountNamespace() async throws {
        let found = try await Self.lack(ofClientStartedBy: ["unshare", "--mount"])
        #expect(found.lack == nil && found.hasSent)
    }

    @Test("root in a user namespace of its own is not")
    func userNamespace() async throws {
        let found = try await Self.lack(ofClientStartedBy: ["unshare", "-Ur", "--mount"])
        #expect(found.lack == .elsewhere(["user namespace"]))
    }

    @Test("root in a process namespace of its own is not")
    func processNamespace() async throws {
        let found = try await Self.lack(
            ofClientStartedBy: ["unshare", "--pid", "--fork", "--mount-proc"])
        #expect(found.lack == .elsewhere(["process namespace"]))
    }

    @Test("root without CAP_NET_ADMIN is not")
    func capability() async throws {
        let found = try await Self.lack(
            ofClientStartedBy: [
                "setpriv", "--bounding-set", "-net_admin", "--inh-caps", "-net_admin",
            ])
        #expect(found.lack == .noPrivilege)
    }

    @Test("root with another root directory is not")
    func rootDirectory() async throws {
        try await withTemporaryDirectory { directory in
            let script = """
                mount -t tmpfs none "$0"
                for place in bin usr lib lib64 proc dev etc; do
                    if test -e "/$place"; then
                        mkdir "$0/$place"
                        mount --rbind "/$place" "$0/$place"
                    fi
                done
                exec chroot "$0" "$@"
                """
            let found = try await Self.lack(
                ofClientStartedBy: ["unshare", "--mount", "sh", "-c", script, directory.path])
            #expect(found.lack == .elsewhere(["root directory"]))
        }
    }

    @Test("an ordinary user is not")
    func ordinaryUser() async throws {
        let found = try await Self.lack(
            ofClientStartedBy: ["setpriv", "--reuid", "65534", "--clear-groups"])
        #expect(found.lack == .otherUser)
    }

    @Test("what a process hands on is not its own")
    func heir() async throws {
        let found = try await Self.lack(ofClientStartedBy: ["env"], andThen: "leave")
        #expect(found.lack == .ended)
    }

    @Test("whoever asks a service can look at it in the same way, and files come with messages")
    func service() async throws {
        let name = "lctest-peer-\(UUID())"
        let service = try ServiceSocket(name: name)
        let channel = try #require(
            try ServiceSocket.connect(to: name, patience: .seconds(5)))
        let accepted = service.accept()
        let far = try #require(accepted)
        let peer = try PeerProcess(at: channel)
        try peer.checkMayChangeNetwork()
        #expect(peer.id == ProcessInfo.processInfo.processIdentifier)
        let file = try MemoryFile.open("text")
        try far.send([1, 2], with: [file])
        let message = try #require(try channel.receive(atMost: 2))
        #expect(peer.isSender(of: message) && message.bytes == [1, 2] && message.files.count == 1)
        var text = [UInt8](repeating: 0, count: 10)
        _ = try message.files[0].seek(offset: 0, from: .start)
        #expect(try message.files[0].readSome(into: &text) == 4)
        try far.send([1, 2, 3], with: [file])
        #expect(throws: Errno.messageTooLong) { try channel.receive(atMost: 2) }
        far.close()
        #expect(try channel.receive(atMost: 2) == nil)
        channel.close()
        try file.close()
    }
}
