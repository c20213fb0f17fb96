import Foundation
import Testing

/// Downloads that are cut and gone on with.
@Suite("Resumed downloads of NetworkSession") struct ResumedDownloadTests {
    @Test func `20 MB cut twice are finished by ranges`() async throws {
        let result = try await AppRun.run(
            AppRun.join + """
                get() { $probe download "$url/file?size=20000000&cut=8000000" save=state to=whole "$@"; }
                get; get style=delegate; get
                $probe download "$url/file?size=20000000" to=other
                cmp whole other && echo same
                ls
                """)
        let reports = result.reports
        #expect(reports.map(\.outcome) == ["-1005", "-1005", "ok", "ok"])
        #expect(reports.map(\.canResume) == [true, true, false, false])
        #expect(reports[1].resumedAt == 8_000_000)
        #expect(reports[2].resumedAt == 16_000_000)
        #expect(reports[2].bytes == 20_000_000)
        #expect(result.lines.contains("same"))
        #expect(!result.lines.contains { $0.hasSuffix(".partial") })
        // Nothing was sent twice.
        #expect(result.requests.map(\.range) == [nil, "bytes=8000000-", "bytes=16000000-", nil])
        #expect(
            result.requests.compactMap(\.sent) == [8_000_000, 8_000_000, 4_000_000, 20_000_000])
    }

    @Test func `a resource that has changed is downloaded anew`() async throws {
        let result = try await AppRun.run(
            AppRun.join + """
                get() { $probe download "$url/file?size=200000&version=counted$1" save=state to=whole; }
                get '&cut=150000'
                sed -i s/.cut=150000// state
                get
                $probe data $url/file
                stat -c %s whole
                ls
                """)
        #expect(result.reports.map(\.outcome) == ["-1005", "ok", "ok"])
        #expect(result.reports[1].resumedAt == nil)
        #expect(result.requests.map(\.status) == [200, 200, 200])
        #expect(result.lines.contains("200000"))
        #expect(!result.lines.contains { $0.hasSuffix(".partial") })
    }

    @Test(arguments: ["none", "weak"])
    func `without a strong validator there is nothing to resume`(_ validator: String) async throws {
        let result = try await AppRun.run(
            AppRun.join + """
                $probe download "$url/file?size=200000&cut=150000&validator=\(validator)"
                ls
                """)
        #expect(result.reports.map(\.outcome) == ["-1005"])
        #expect(result.reports.first?.canResume == false)
        #expect(!result.lines.contains { $0.hasSuffix(".partial") })
    }

    @Test func `the time of the last change does as a validator`() async throws {
        let result = try await AppRun.run(
            AppRun.join + """
                for try in 1 2; do
                    $probe download "$url/file?size=200000&cut=150000&validator=date" save=state
                done
                """)
        #expect(result.reports.map(\.outcome) == ["-1005", "ok"])
        #expect(result.requests.last?.range == "bytes=150000-")
    }

    @Test func `a download is cancelled and gone on with`() async throws {
        let result = try await AppRun.run(
            AppRun.join + """
                get() { $probe download "$url/file?size=9000000$1" save=state style=delegate $2; }
                get '&hold=yes' cancel=yes
                sed -i s/.hold=yes// state
                get
                """)
        #expect(result.reports.map(\.outcome) == ["-999", "ok"])
        #expect(result.reports.last?.bytes == 9_000_000)
        #expect((result.reports.last?.resumedAt ?? 0) > 0)
    }

    @Test func `a file that has gone is downloaded anew`() async throws {
        let result = try await AppRun.run(
            AppRun.join + """
                get() { $probe download "$url/file?size=200000$1" save=state; }
                get '&cut=150000'
                sed -i s/.cut=150000// state
                rm *.partial
                get
                """)
        #expect(result.reports.map(\.outcome) == ["-1005", "ok"])
        #expect(result.requests.map(\.range) == [nil, nil])
        #expect(result.reports.last?.bytes == 200_000)
    }
}
