import Glibc

/// Feeds one reader, which `LINKCOND_FUZZ_TARGET` names, with what libFuzzer makes up of the
/// samples in a corpus. `Scripts/fuzz` builds and runs it.
@main
enum FuzzMain {
    static func main() {
        let name = unsafe getenv("LINKCOND_FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
        guard let target = FuzzTarget(rawValue: name) else {
            print(FuzzTarget.allCases.map(\.rawValue).joined(separator: " "))
            exit(name.isEmpty ? 0 : 64)
        }
        unsafe fuzzTarget = target
        var count = CommandLine.argc
        var arguments = unsafe CommandLine.unsafeArgv
        // SwiftPM gives the program's main another name, so that libFuzzer's own cannot be it.
        exit(unsafe runFuzzer(&count, &arguments, testOneInput))
    }
}

/// Which reader is fed.
nonisolated(unsafe) private var fuzzTarget = FuzzTarget.profile

@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// A crash is a finding, and so is a breach of what readers promise.
@c(LLVMFuzzerTestOneInput)
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe fuzzTarget.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
