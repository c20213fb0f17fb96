import Foundation
import LinkTesting
import Matrix
import Testing

/// A matrix as a build of Buildbot, by the configuration of the guide: a master and two workers, in
/// namespaces that end them.
@Suite("Matrix: Buildbot", .requiresNamespaces, .tags(.anyKernel))
struct MatrixBuildbotTests {
    private static func configuration() throws -> String {
        let path = "\(BuiltProduct.packageDirectory)/docs/ci/buildbot/master.cfg"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let command = #"COMMAND = ["--", "npm", "test"]"#
        try #require(text.contains(command))
        return text.replacing(
            command,
            with: #"COMMAND = ["--uplink", "none", "--", "sh", "-c", "test $LINKCOND_CELL != 3G"]"#)
    }

    /// Starts all, has one change built, and waits for the report of the build.
    ///
    /// Workers that find no master wait ever longer before they try again: it comes first. Its log
    /// is shown, and says how far a build came that took too long.
    private static let script = """
        ip link set lo up
        buildbot() { python3 "$TOOLS/bin/buildbot" "$@"; }
        buildbot_worker() { python3 "$TOOLS/bin/buildbot-worker" "$@"; }
        wait_for() { until grep "$1" master/twistd.log; do sleep 0.1; done; }
        buildbot create-master --relocatable master
        cp master.cfg master/
        buildbot start --nodaemon master &
        touch master/twistd.log
        tail --follow=name --lines +1 master/twistd.log &
        wait_for "BuildMaster is running"
        for number in 1 2; do
            buildbot_worker create-worker --relocatable worker-$number \\
                127.0.0.1:9989 worker-$number "$BUILDBOT_PASSWORD"
            buildbot_worker start --nodaemon worker-$number >worker-$number.log 2>&1 &
        done
        buildbot sendchange --master 127.0.0.1:9989 --auth "change:$BUILDBOT_PASSWORD" \\
            --who tests --branch main --vc git file
        wait_for "Build network number:1 .*build finished"
        """

    private static func build(_ directory: TemporaryDirectory) async throws -> ProcessResult {
        _ = try directory.write(configuration(), to: "master.cfg")
        try FileManager.default.createDirectory(
            atPath: "\(directory.path)/bin", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: "\(directory.path)/bin/linkcond",
            withDestinationPath: try SandboxedRun.program())
        let inherited = ProcessInfo.processInfo.environment
        let tools = try PythonTool.environment()
        let variables = inherited.merging(tools) { $1 }.merging([
            "PATH": "\(directory.path)/bin:\(inherited["PATH"] ?? "/usr/bin:/bin")",
            "TOOLS": tools["PYTHONPATH"] ?? "", "BUILDBOT_PASSWORD": "secret",
        ]) { $1 }
        return try await runProcess(
            "unshare",
            ["--net", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", script],
            environment: variables, workingDirectory: directory.path)
    }

    @Test func `a build runs the parts on its workers, and merges their reports`() async throws {
        try await withTemporaryDirectory { directory in
            let build = try await Self.build(directory)
            // One cell fails, and with it its part and the build.
            #expect(build.standardOutput.contains("results:failure"), "\(build)")
            let report = try ReportDirectory.report(at: "\(directory.path)/master/reports/1")
            #expect(report.cells.map(\.id) == ["baseline", "LTE", "3G", "Edge"])
            #expect(report.cells.filter(\.isFailure).map(\.id) == ["3G"])
            #expect(report.cells.allSatisfy { $0.status != .missing })
        }
    }
}
