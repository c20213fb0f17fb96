import Catalog
import LinkModel
import LinkTesting
import ProfileFormat
import SystemPackage
import Testing
import UserCatalog

@testable import linkcond

@Suite("Exit status", .tags(.unit))
struct ExitStatusTests {
    // Swift Testing has one of its own.
    private typealias Status = LinkModel.ExitStatus

    private struct Surprise: Error {}

    private static let errors: [(any Error, Status)] = [
        (CatalogError.unknown("x", suggestion: nil), .usage),
        (CatalogError.ambiguous("x", ["a/x", "b/x"]), .usage),
        (CatalogError.unreadable(.inaccessible(file: "x", explanation: "")), .cannotRead),
        (
            CatalogError.unreadable(.malformed(ProfileError(file: "x", explanation: ""))),
            .badFile
        ),
        (ProfileError(file: "x", explanation: ""), .badFile),
        (UsageError(description: ""), .usage),
        (OutputError(errno: .noSpace), .cannotWrite),
        (FileAccessError(.reading, "x", .noSuchFileOrDirectory), .cannotRead),
        (FileAccessError(.writing, "x", .fileExists), .cannotWrite),
        (Surprise(), .internalFault),
    ]

    @Test("Every kind of error has the code that is documented", arguments: errors.indices)
    func codes(index: Int) {
        let (error, status) = Self.errors[index]
        #expect(Status(of: error) == status)
    }

    @Test("The codes are those that docs/exit-codes.md lists")
    func numbers() {
        #expect(
            Status.allCases.map(\.rawValue)
                == [0, 1, 64, 69, 70, 73, 74, 75, 77, 78, 125, 126, 127])
    }
}
