import Foundation
import Testing

/// Downloads on which the disk, the clock, the server or somebody else plays tricks.
@Suite("Downloads of NetworkSession in trouble") struct DownloadTroubleTests {
    @Test func `a full disk is named, and the download goes on when there is space`() async throws {
        let result = try await AppRun.run(
            AppRun.join + """
                home=$PWD
                mkdir small
                mount -t tmpfs -o size=1m none small
                cd small
                get() { $probe download "$url/file?size=3000000" save=$home/state to=$home/whole; }
                get
                mount -o remount,size=10m none .
                get
                cd $home
                $probe download "$url/file?size=3000000" to=other
                cmp whole other && echo same
                """)
        // "Cannot write to file."
        #expect(result.reports.map(\.outcome) == ["-3003", "ok", "ok"])
        #expect(result.reports.first?.canResume == true)
        #expect(result.reports.first?.text?.contains("No space left on device") == true)
        #expect((result.reports[1].resumedAt ?? 0) > 0)
        #expect(result.lines.contains("same"))
    }

    @Test func `a partial file that somebody has cut is downloaded anew`() async throws {
        let result = try await AppRun.run(
            AppRun.join + """
                get() { $probe download "$url/file?size=200000$1" save=state to=whole; }
                get '&cut=150000'
                sed -i s/.cut=150000// state
                truncate -s 1000 *.partial
                get
                $probe download "$url/file?size=200000" to=other
                cmp whole other && echo same
                find . -name '*.partial'
                """)
        #expect(result.reports.map(\.outcome) == ["-1005", "ok", "ok"])
        #expect(result.requests.map(\.range) == [nil, nil, nil])
        #expect(result.lines.filter { $0 != "began" } == ["same"])
    }

    @Test func `resume data of another version says so, and nothing is touched`() async throws {
        let result = try await AppRun.run(
            AppRun.join + """
                get() { $probe download "$url/file?size=200000&cut=150000" save=$1; }
                get state
                sed 's/"format":1/"format":2/' state >newer
                get newer
                get state
                """)
        // "Cannot decode raw data."
        #expect(result.reports.map(\.outcome) == ["-1005", "-1015", "ok"])
        #expect(result.reports[1].text?.contains("version 2") == true)
        #expect(result.reports.last?.resumedAt == 150_000)
    }

    @Test(arguments: ["no-tag", "other"])
    func `a part without the tag is not joined to what is there`(_ fault: String) async throws {
        let result = try await AppRun.run(
            AppRun.join + """
                file="$url/file?size=200000&rest=\(fault)"
                get() { $probe download "$file$1" save=state to=whole; }
                get '&cut=150000'
                sed -i s/.cut=150000// state
                get
                $probe download "$url/file?size=200000" to=other
                cmp whole other && echo same
                """)
        #expect(result.reports.map(\.outcome) == ["-1005", "ok", "ok"])
        #expect(result.requests.map(\.range) == [nil, "bytes=150000-", nil, nil])
        #expect(result.lines.contains("same"))
    }

    @Test func `a suspended download is held up, and its time limits with it`() async throws {
        let result = try await AppRun.run(
            AppRun.join + """
                $probe download "$url/file?size=3000000" style=delegate suspend=8 \
                    request=4 resource=6
                """)
        #expect(result.reports.map(\.outcome) == ["ok"])
        #expect(result.reports.first?.bytes == 3_000_000)
        #expect((result.reports.first?.seconds ?? 0) >= 8)
        #expect(result.requests.count == 1)
    }

    @Test(arguments: ["data", "download", "upload"])
    func `completion handlers get what callers get`(_ kind: String) async throws {
        let result = try await AppRun.run(
            AppRun.join + "$probe \(kind) $url/file style=async,handler\n"
                + "$probe \(kind) http://192.0.2.2:9/ style=async,handler")
        #expect(result.reports.map(\.outcome) == ["ok", "ok", "-1004", "-1004"])
        #expect(Set(result.reports.prefix(2).map(\.bytes)).count == 1)
    }

    @Test func `tasks count what they receive and send`() async throws {
        let result = try await AppRun.run(
            AppRun.join + """
                $probe download "$url/file?size=3000" style=delegate counts=yes
                $probe upload $url/file style=delegate counts=yes
                """)
        #expect(result.lines.filter { $0 != "began" } == ["counts 3000 0", "counts 6 100000"])
    }

    @Test func `a file that becomes shorter while it is sent is no upload`() async throws {
        let result = try await AppRun.run(
            AppRun.join + """
                truncate -s 8G big
                $probe upload $url/file file=big >out &
                await sending
                truncate -s 1000 big
                wait $!
                cat out
                """)
        // "Cannot open file."
        #expect(result.reports.map(\.outcome) == ["-3001"])
        #expect(result.requests.allSatisfy { ($0.received ?? 0) < 8 << 30 })
    }
}
