import Foundation
import LinkTesting
import Testing

/// Programs that end as soon as they have what they asked for.
@Suite("NetworkSession and the end of the process") struct ProcessEndTests {
    /// Some crashed, and more of them the busier the processors were: the session's thread ended at the
    /// same time.
    @Test func `an app ends well although its session's thread ends late`() async throws {
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Fixtures/slow-end.c").path
        let result = try await AppRun.run(
            AppRun.join + """
                clang -shared -fPIC -Wall -Werror -o slow-end.so '\(source)'
                for turn in 1 2 3 4 5 6 7 8; do
                    LD_PRELOAD=$PWD/slow-end.so $probe download $url/file?size=1000
                done

                """)
        #expect(result.reports.map(\.outcome) == Array(repeating: "ok", count: 8))
    }
}
