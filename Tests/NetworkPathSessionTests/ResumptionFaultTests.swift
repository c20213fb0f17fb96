import Foundation
import Testing

/// What a server, or somebody in between, answers when the rest of a download is asked for.
@Suite("Answers to who goes on with a download") struct ResumptionFaultTests {
    /// Downloads 150,000 of 200,000 bytes; `get` goes on, and `drop WORDS` changes what is asked.
    private static func begin(_ query: String) -> String {
        AppRun.join + """
            drop() { sed -i "s/.$1//" state; }
            partials() { find . -name '*.partial' -size +0 | wc -l | sed 's/^/partials /'; }
            get() { $probe download "$url/file?size=200000\(query)" save=state to=whole "$@"; }
            get

            """
    }

    /// What the script has printed, not the client.
    private static func said(_ result: AppRun) -> [String] {
        result.lines.filter { $0 != "began" }
    }

    @Test(arguments: ["503", "401", "403", "429", "500", "404", "portal", "portal-tag"])
    func `an error or a portal leaves alone what is there`(_ fault: String) async throws {
        let result = try await AppRun.run(
            Self.begin("&cut=150000&rest=\(fault)") + """
                drop cut=150000
                get; get style=delegate
                partials
                drop rest=\(fault)
                get
                partials
                $probe download "$url/file?size=200000" to=other
                cmp whole other && echo same
                """)
        let reports = result.reports
        #expect(reports.map(\.outcome) == ["-1005", "-1011", "-1011", "ok", "ok"])
        #expect(reports.prefix(3).allSatisfy { $0.canResume })
        #expect(reports[3].resumedAt == 150_000)
        #expect(Self.said(result) == ["partials 1", "partials 0", "same"])
        #expect(result.requests.compactMap(\.sent) == [150_000, 50_000, 200_000])
    }

    @Test(arguments: ["start", "total", "tag", "no-range", "416"])
    func `after a part that does not fit the whole comes, and nothing is left`(
        _ fault: String
    ) async throws {
        let result = try await AppRun.run(
            Self.begin("&cut=150000&rest=\(fault)") + """
                get
                partials
                drop cut=150000
                get
                partials
                $probe download "$url/file?size=200000" to=other
                cmp whole other && echo same
                """)
        #expect(result.reports.map(\.outcome) == ["-1005", "-1005", "ok", "ok"])
        #expect(Self.said(result) == ["partials 1", "partials 0", "same"])
        #expect(
            result.requests.map(\.range)
                == [nil, "bytes=150000-", nil, "bytes=150000-", nil, nil])
    }

    @Test func `where ranges are ignored, one file is gone on with`() async throws {
        let result = try await AppRun.run(
            Self.begin("&cut=150000&rest=ignored") + """
                get
                partials
                sed -i s/cut=150000/cut=180000/ state
                get
                partials
                drop cut=180000
                get
                partials
                $probe download "$url/file?size=200000" to=other
                cmp whole other && echo same
                """)
        #expect(result.reports.map(\.outcome) == ["-1005", "-1005", "-1005", "ok", "ok"])
        #expect(result.requests.map(\.range)[3] == "bytes=180000-")
        #expect(Self.said(result) == ["partials 1", "partials 1", "partials 0", "same"])
    }

    @Test func `a new version that is cut as well takes the old one's place`() async throws {
        let result = try await AppRun.run(
            Self.begin("&cut=150000&version=counted") + """
                get
                partials
                drop cut=150000
                get
                partials
                """)
        #expect(result.reports.map(\.outcome) == ["-1005", "-1005", "ok"])
        #expect(Self.said(result) == ["partials 1", "partials 0"])
    }

    @Test func `of others' files nothing is touched, whatever the data says`() async throws {
        let name = "NetworkSession-00000000-0000-4000-8000-000000000000.partial"
        let result = try await AppRun.run(
            Self.begin("&cut=150000") + """
                drop cut=150000
                cp state good
                head -c 200000 /dev/zero >victim
                forge() { sed "s#NetworkSession-[^\\"]*partial#$1#" good >state; get; get style=delegate; }
                forge victim
                forge ../victim
                forge /etc/hostname
                ln -s victim \(name); forge \(name); rm \(name)
                ln victim \(name); forge \(name); rm \(name)
                mkfifo \(name); forge \(name); rm \(name)
                mkdir \(name); forge \(name); rmdir \(name)
                cp victim \(name); chown 65534 \(name); forge \(name)
                cmp victim \(name) && rm \(name)
                head -c 200000 /dev/zero | cmp - victim && echo unharmed
                cp good state
                get
                """)
        #expect(result.reports.map(\.outcome).first == "-1005")
        // Of a file that is none of a session's: "cannot decode".
        #expect(result.reports.dropFirst().dropLast().allSatisfy { $0.outcome == "-1015" })
        #expect(result.reports.count == 18)
        #expect(result.reports.last?.resumedAt == 150_000)
        #expect(Self.said(result) == ["unharmed"])
        #expect(result.requests.count == 2)
    }
}
