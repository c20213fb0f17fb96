import Glibc
import Testing

/// Where the tests begin. SwiftPM's own would look for XCTest's tests in an index of all sources,
/// and making that takes a fifth of the build; there are none.
@main
struct TestProgram {
    static func main() async {
        // Where there is a file like this, `swift test` leaves out these tests unless it is told.
        guard CommandLine.arguments.contains("swift-testing") else {
            print("run: swift test --disable-xctest --enable-swift-testing, or: Scripts/test")
            exit(EXIT_FAILURE)
        }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
