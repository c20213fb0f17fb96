import DataPlane
import Foundation
import LinkModel
import LinkTesting
import LinuxKernel
import SystemPackage
import Testing

@testable import KernelPlane

@Suite("Journal and feature cache", .tags(.unit))
struct JournalTests {
    private static func withDirectory(_ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "linkcond-test-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    @Test("The journal remembers interfaces of its namespace until they are erased")
    func journal() throws {
        try Self.withDirectory { base in
            let directory = try StateDirectory(firstOf: [base])
            let journal = try Journal(directory)
            #expect(journal.entries().isEmpty)
            let first = Journal.Entry(interface: "eth0", index: 5, madeClsact: true)
            let second = Journal.Entry(interface: "eth1", index: 6, madeClsact: false)
            try journal.record(first)
            try journal.record(second)
            #expect(journal.entry(5) == first)
            #expect(Set(try Journal(directory).entries()) == [first, second])
            var changed = second
            changed.madeClsact = true
            try journal.record(changed)
            #expect(journal.entry(6) == changed)
            journal.erase(5)
            #expect(journal.entry(5) == nil)
            journal.erase(6)
            #expect(directory.names(in: "journal").isEmpty)
        }
    }

    @Test("Damaged and foreign files in the journal are passed over")
    func damagedJournal() throws {
        try Self.withDirectory { base in
            let directory = try StateDirectory(firstOf: [base])
            let journal = try Journal(directory)
            try journal.record(Journal.Entry(interface: "eth0", index: 5, madeClsact: true))
            let name = try #require(directory.names(in: "journal").first)
            try directory.write("journal/\(name)/6.json", Array("{\"interface\":".utf8))
            try directory.write("journal/\(name)/x.json", Array("{}".utf8))
            try directory.write("journal/\(name)/99999999999.json", Array("{}".utf8))
            try directory.write("journal/\(name)/.hidden", [])
            #expect(journal.entries().map(\.index) == [5])
        }
    }

    @Test("Features that were found once are not asked for again")
    func featureCache() throws {
        try Self.withDirectory { base in
            let directory = try StateDirectory(firstOf: [base])
            let all = KernelFeature.allCases.map(\.rawValue).joined(separator: "\n")
            try directory.write("kernel-features", Array(("sch_unheard_of\n" + all).utf8))
            let plan = try ApplyRequest(
                conditions: .init(), profile: "x", now: 1
            ).examplePlan(interface: "eth0")
            // Were the kernel asked, the file would be written anew.
            let needed = Set(plan.operations.compactMap(\.feature))
            #expect(needed.contains(.netem))
            #expect(KernelFeatureCache(directory).missing(needed).isEmpty)
            let text = String(
                decoding: try #require(directory.read("kernel-features")), as: UTF8.self)
            #expect(text.hasPrefix("sch_unheard_of"))
        }
    }
}
