import Foundation
import LinkModel
import LinkTesting
import LinkUnits
import LinuxKernel
import PacketEngine
import PacketLoop
import SystemPackage
import Testing

@testable import Recording

@Suite("Evidence recorder", .tags(.unit))
struct PacketRecorderTests {
    private static func recorder(
        _ request: RecordingRequest, patience: Duration = .seconds(30)
    ) throws -> PacketRecorder {
        let recorder = try PacketRecorder(
            request, clock: .startingNow(), remark: "a test",
            patience: patience)
        try recorder.start()
        return recorder
    }

    private static func observe(_ count: Int, by recorder: PacketRecorder) {
        let frame = SamplePackets.tcp
        for number in 1...count {
            recorder.observed(
                SamplePackets.record(number: UInt64(number), .delivered), frame: frame.span)
        }
    }

    @Test func `all packets are in all files`() async throws {
        try await withTemporaryDirectory { directory in
            var request = RecordingRequest()
            request.capture = try OutputFile(creating: directory.path + "/a.pcapng")
            request.log = try OutputFile(creating: directory.path + "/a.csv")
            let recorder = try Self.recorder(request)
            Self.observe(2000, by: recorder)
            let report = recorder.finish()
            #expect(report.capture?.packets == 2000)
            #expect(report.log?.packets == 2000)
            #expect(report.notes.isEmpty)
            let log = try String(contentsOfFile: directory.path + "/a.csv", encoding: .utf8)
            #expect(log.split(separator: "\n").count == 2001)
        }
    }

    @Test func `a packet that comes out after a later one is reordered`() async throws {
        try await withTemporaryDirectory { directory in
            var request = RecordingRequest()
            request.log = try OutputFile(creating: directory.path + "/a.csv")
            let recorder = try Self.recorder(request)
            let frame = SamplePackets.tcp
            for (direction, number) in [
                (LinkDirection.up, 1), (.up, 3), (.down, 1), (.up, 2), (.up, 3), (.up, 4),
            ] {
                recorder.observed(
                    SamplePackets.record(direction, number: UInt64(number), .delivered),
                    frame: frame.span)
            }
            _ = recorder.finish()
            let log = try String(contentsOfFile: directory.path + "/a.csv", encoding: .utf8)
            let flags = log.split(separator: "\n").dropFirst().map { $0.split(separator: ",")[7] }
            #expect(flags == ["false", "false", "false", "true", "false", "false"])
        }
    }

    @Test func `a disk that is full is reported, with what is missing`() throws {
        var request = RecordingRequest()
        request.log = try OutputFile(creating: "/dev/full")
        let recorder = try Self.recorder(request)
        Self.observe(10, by: recorder)
        let report = recorder.finish()
        #expect(report.log?.packets == 0)
        #expect(report.log?.missingPackets == 10)
        #expect(
            report.failures == [
                "cannot write /dev/full: No space left on device; 10 packets are missing in it"
            ])
    }

    @Test func `a pipe that nobody reads holds nobody up`() throws {
        let (reader, writer) = try FileDescriptor.pipe()
        defer { try? reader.close() }
        var request = RecordingRequest()
        request.capture = OutputFile(path: "pipe", descriptor: writer)
        let recorder = try Self.recorder(request, patience: .milliseconds(100))
        Self.observe(200_000, by: recorder)
        let report = recorder.finish(run: .zero..<(.seconds(1)))
        #expect(report.capture?.problem == "it takes no more")
        #expect(report.capture.map { $0.packets + $0.missingPackets } == 200_000)
        #expect(report.failures.count == 1)
    }

    @Test func `a pipe that nobody reads any more is reported`() throws {
        let (reader, writer) = try FileDescriptor.pipe()
        try reader.close()
        var request = RecordingRequest()
        request.log = OutputFile(path: "pipe", descriptor: writer)
        let recorder = try Self.recorder(request)
        Self.observe(10, by: recorder)
        #expect(
            recorder.finish().failures == [
                "cannot write pipe: Broken pipe; 10 packets are missing in it"
            ])
    }

    @Test func `a file that cannot be made is an error that names it`() throws {
        #expect(throws: RecordingFileError(path: "/nowhere/a", errno: .noSuchFileOrDirectory)) {
            try OutputFile(creating: "/nowhere/a")
        }
        #expect(throws: RecordingFileError(path: "/proc", errno: .isDirectory)) {
            try OutputFile(creating: "/proc")
        }
    }

    @Test func `a file that is there is emptied`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try directory.write("old and long", to: "a")
            let file = try OutputFile(creating: path)
            try file.descriptor.closeAfter { _ = try file.descriptor.writeAll("new".utf8) }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
        }
    }
}
