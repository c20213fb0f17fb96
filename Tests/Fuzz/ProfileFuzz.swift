import Glibc
import LinkModel
import LinkUnits
import ProfileFormat

/// Feeds the profile reader and the quantity parsers with what libFuzzer makes up. How to build
/// it stands at the end of Package.swift; run it with `SWIFT_BACKTRACE=enable=no`.
@main
enum ProfileFuzz {
    static func main() {
        var count = CommandLine.argc
        var arguments = unsafe CommandLine.unsafeArgv
        // SwiftPM gives the program's main another name, so that libFuzzer's own cannot be it.
        exit(unsafe runFuzzer(&count, &arguments, testOneInput))
    }
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// A crash is a finding; so is an error that is not one printable line with the file's name.
@c(LLVMFuzzerTestOneInput)
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe UnsafeBufferPointer(start: start, count: count)
    let text = unsafe String(decoding: bytes, as: UTF8.self)
    do {
        let profile = try ProfileReader.profile(from: text, file: "fuzz.yaml")
        let again = try ProfileReader.profile(from: ProfileWriter.yaml(profile), file: "again")
        precondition(again == profile, "a profile is read back as it was written")
    } catch {
        let line = error.description
        precondition(line.hasPrefix("fuzz.yaml:") && line == line.printable, line)
    }
    if let rate = try? Bandwidth(parsing: text) {
        precondition((try? Bandwidth(parsing: rate.description)) == rate)
    }
    if let size = try? ByteCount(parsing: text) {
        precondition((try? ByteCount(parsing: size.description)) == size)
    }
    if let ratio = try? Ratio(parsing: text) {
        precondition((try? Ratio(parsing: ratio.description)) == ratio)
    }
    if let duration = try? Duration(parsing: text) {
        precondition((try? Duration(parsing: duration.unitText)) == duration)
    }
    var conditions = LinkConditions()
    try? ProfileReader.apply(setting: text, to: &conditions)
    return 0
}
