import Testing

/// Where the tests begin. SwiftPM's own would look for XCTest's tests in an index of all sources,
/// and making that takes a fifth of the build; there are none.
@main
struct TestProgram {
    static func main() async {
        // `swift test` starts it once for each library.
        guard CommandLine.arguments.contains("swift-testing") else { return }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
