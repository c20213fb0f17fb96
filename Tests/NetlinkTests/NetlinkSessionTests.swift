import LinkTesting
import SystemPackage
import Testing

@testable import Netlink

@Suite("Netlink session", .tags(.unit))
struct NetlinkSessionTests {
    private static let request = Link.get(index: 1)

    private static func message(length: Int) -> NetlinkMessage {
        NetlinkMessage(
            bytes: FakeTransport.message(
                type: 16, payload: Array(repeating: 0, count: length - 16)))
    }

    // MARK: Batches

    @Test("Sequence numbers begin where they are told to and never repeat")
    func sequenceNumbers() throws {
        let kernel = FakeTransport { request in
            request.type == 18 && !request.isAcknowledged ? [.done()] : [.success]
        }
        let session = NetlinkSession(transport: kernel, firstSequence: 40)
        #expect(try session.execute([Link.delete(index: 1), Link.delete(index: 2)]).isEmpty)
        #expect(try session.dump(Link.list(), attempt: "list").isEmpty)
        #expect(try session.get([Link.get(index: 3), Link.get(index: 4)]) == [nil, nil])
        #expect(kernel.requests.map(\.sequence) == [40, 41, 42, 43, 44])
    }

    @Test("A session may begin with the largest sequence number and goes on at zero")
    func sequenceWraps() throws {
        let kernel = FakeTransport { request in
            request.number == 1 ? [.refusal(.fileExists)] : [.success]
        }
        let session = NetlinkSession(transport: kernel, firstSequence: .max)
        #expect(try session.execute(Array(repeating: Self.request, count: 3)).map(\.index) == [1])
        #expect(kernel.requests.map(\.sequence) == [.max, 0, 1])
        #expect(try NetlinkSession(transport: kernel, firstSequence: 0).execute([]).isEmpty)
    }

    @Test("A batch is one datagram, of which only the last message asks for an answer")
    func oneAcknowledgement() throws {
        let kernel = FakeTransport()
        let session = NetlinkSession(transport: kernel)
        #expect(try session.execute(Array(repeating: Self.request, count: 50)).isEmpty)
        #expect(kernel.datagrams.count == 1)
        #expect(
            kernel.requests.map(\.isAcknowledged) == Array(repeating: false, count: 49) + [true])
        #expect(session.sentDatagrams == 1)
        #expect(session.sentMessages == 50)
        #expect(kernel.inbox.isEmpty)
    }

    @Test("A batch beyond the size limit is split between messages, each part with its answer")
    func splitting() throws {
        let kernel = FakeTransport { request in
            [3, 7, 8, 19].contains(request.number) ? [.refusal(.fileExists)] : [.success]
        }
        let session = NetlinkSession(transport: kernel)
        // Eight of 32,000 bytes fit into 256 KiB.
        let failures = try session.execute(
            Array(repeating: Self.message(length: 32_000), count: 20))
        #expect(kernel.datagrams.map(\.count) == [256_000, 256_000, 128_000])
        #expect(
            kernel.requests.filter(\.isAcknowledged).map(\.number) == [7, 15, 19])
        #expect(failures.map(\.index) == [3, 7, 8, 19])
    }

    @Test("A datagram may be exactly as long as the limit, and a single message longer")
    func sizeLimit() throws {
        let kernel = FakeTransport()
        let session = NetlinkSession(transport: kernel)
        let half = Self.message(length: 128 * 1024)
        _ = try session.execute([half, half, half])
        #expect(kernel.datagrams.map(\.count) == [256 * 1024, 128 * 1024])
        let whole = Self.message(length: 300 * 1024)
        _ = try session.execute([half, whole, half])
        #expect(
            kernel.datagrams.dropFirst(2).map(\.count) == [128 * 1024, 300 * 1024, 128 * 1024])
    }

    @Test("A message whose length is no multiple of four is padded in the datagram")
    func alignment() throws {
        let kernel = FakeTransport()
        _ = try NetlinkSession(transport: kernel).execute([
            Self.message(length: 17), Self.message(length: 20),
        ])
        #expect(kernel.datagrams.map(\.count) == [40])
        #expect(kernel.requests.map(\.bytes.count) == [17, 20])
    }

    @Test("Nothing is sent for an empty batch")
    func emptyBatch() throws {
        let kernel = FakeTransport()
        let session = NetlinkSession(transport: kernel)
        #expect(try session.execute([]).isEmpty)
        #expect(try session.get([]).isEmpty)
        #expect(kernel.datagrams.isEmpty)
    }

    // MARK: Errors

    @Test("Each refusal names the message that it is about, also the last one")
    func failures() throws {
        let kernel = FakeTransport { request in
            switch request.number {
            case 0: [.refusal(.fileExists)]
            case 2: [.refusal(.noSuchFileOrDirectory, text: "Parent Qdisc doesn't exist")]
            case 4: [.refusal(.invalidArgument)]
            default: [.success]
            }
        }
        let failures = try NetlinkSession(transport: kernel).execute(
            Array(repeating: Self.request, count: 5))
        #expect(failures.map(\.index) == [0, 2, 4])
        #expect(
            failures.map(\.errno) == [.fileExists, .noSuchFileOrDirectory, .invalidArgument])
        #expect(failures.map(\.kernelText) == [nil, "Parent Qdisc doesn't exist", nil])
    }

    @Test(
        "The kernel's explanation is found behind the refused request, whole or cut",
        arguments: [true, false])
    func extendedAcknowledgement(isCapped: Bool) throws {
        for length in 32...40 {
            let kernel = FakeTransport { _ in
                [
                    .refusal(
                        .noSuchFileOrDirectory, text: "Specified qdisc kind is unknown",
                        isCapped: isCapped)
                ]
            }
            let error = #expect(throws: NetlinkError.self) {
                try NetlinkSession(transport: kernel).execute(
                    Self.message(length: length), attempt: "add a qdisc")
            }
            #expect(error?.kernelText == "Specified qdisc kind is unknown")
            #expect(
                error?.description
                    == "cannot add a qdisc: Specified qdisc kind is unknown "
                    + "(No such file or directory)")
        }
    }

    @Test("A refusal without an explanation is told by its error number")
    func plainRefusal() {
        let kernel = FakeTransport { _ in [.refusal(.resourceBusy, isCapped: false)] }
        let error = #expect(throws: NetlinkError.self) {
            try NetlinkSession(transport: kernel).execute(Self.request, attempt: "do it")
        }
        #expect(error?.errno == .resourceBusy)
        #expect(error?.description == "cannot do it: Device or resource busy")
    }

    @Test("Answers to others, such as those of an attempt given up, are ignored")
    func strayAnswers() throws {
        let kernel = FakeTransport { request in
            [.stray(sequence: 4), .stray(sequence: request.sequence + 9), .success]
        }
        let session = NetlinkSession(transport: kernel, firstSequence: 5)
        #expect(try session.execute([Self.request]).isEmpty)
        #expect(try session.execute([Self.request, Self.request]).isEmpty)
    }

    @Test("A warning beside success is no failure")
    func warning() throws {
        let kernel = FakeTransport { _ in [] }
        kernel.inbox = [
            FakeTransport.message(
                type: 2, flags: 0x300, sequence: 1,
                payload: Array(repeating: 0, count: 20)
                    + FakeTransport.attribute(1, Array("deprecated".utf8) + [0]))
        ]
        #expect(try NetlinkSession(transport: kernel).execute([Self.request]).isEmpty)
    }

    @Test("What the transport cannot do is passed on")
    func brokenTransport() throws {
        let kernel = FakeTransport { _ in [] }
        kernel.failure = NetlinkError(attempt: "read the kernel's answer", errno: .noMemory)
        let session = NetlinkSession(transport: kernel)
        let error = #expect(throws: NetlinkError.self) { try session.execute([Self.request]) }
        #expect(error == NetlinkError(attempt: "read the kernel's answer", errno: .noMemory))
    }

    @Test("After answers were lost, late ones do not disturb the next request")
    func lateAnswers() throws {
        let kernel = FakeTransport { request in
            request.sequence < 3
                ? [] : [.stray(sequence: 1), .refusal(.fileExists), .stray(sequence: 2)]
        }
        kernel.failure = NetlinkError(attempt: "read the kernel's answer", errno: .noMemory)
        let session = NetlinkSession(transport: kernel)
        #expect(throws: NetlinkError.self) {
            try session.execute([Self.request, Self.request])
        }
        #expect(try session.execute([Self.request]).map(\.errno) == [.fileExists])
    }
}
