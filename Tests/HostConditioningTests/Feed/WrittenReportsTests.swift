import Foundation
import LinkTesting
import LinuxKernel
import Testing

@testable import HostConditioning

@Suite("Reports that have been written", .tags(.unit)) struct WrittenReportsTests {
    @Test func `the newest are remembered, as long as their pages are there`() async throws {
        try await withTemporaryDirectory { directory in
            let reports = WrittenReports(in: try StateDirectory(firstOf: ["\(directory.path)/run"]))
            let last = Int32(WrittenReports.most + 2)
            var page = ""
            for process in 1...last {
                page = try directory.write("", to: "\(process).html")
                reports.note(page, of: "/usr/bin/linkcond\0matrix\0--\0a b\0", by: process)
            }
            #expect(reports.programs.map(\.program.pid) == (3...last).reversed())
            let newest = try #require(reports.programs.first).program
            #expect(newest.command == "linkcond matrix -- 'a b'")
            #expect(newest.report == page && newest.isOver)

            try FileManager.default.removeItem(atPath: page)
            #expect(reports.programs.map(\.program.pid) == (3..<last).reversed())
        }
    }

    @Test func `what is no note of a program is left out`() async throws {
        try await withTemporaryDirectory { directory in
            let state = try StateDirectory(firstOf: ["\(directory.path)/run"])
            let page = try directory.write("", to: "a.html")
            try state.write("reports/1", Array("\(page)\0linkcond\0matrix\0".utf8))
            try state.write("reports/x", Array("\(page)\0linkcond\0matrix\0".utf8))
            try state.write("reports/2", Array("\(page)".utf8))
            try state.write("reports/3", Array("\(page)\0linkcond\0list\0".utf8))
            try state.write("reports/4", Array("/etc/passwd\0linkcond\0matrix\0".utf8))
            try state.write("reports/5", [])
            #expect(WrittenReports(in: state).programs.map(\.program.pid) == [1])
        }
    }
}
