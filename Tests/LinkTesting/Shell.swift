import Glibc

/// A command that failed: how it ended and what it said.
public struct ShellFailure: Error, CustomStringConvertible {
    /// The command, its exit code and its output.
    public let description: String
}

/// Runs `script` with `/bin/sh` in the namespaces of the calling thread and returns its output.
@discardableResult
public func shell(_ script: String) throws -> String {
    guard let stream = unsafe popen("exec 2>&1\n" + script, "re") else {
        throw ShellFailure(description: "cannot start /bin/sh: errno \(errno)")
    }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = unsafe fread(&buffer, 1, buffer.count, stream)
        guard count > 0 else { break }
        output += buffer[..<count]
    }
    let status = unsafe pclose(stream)
    let text = String(decoding: output, as: UTF8.self)
    guard status == 0 else {
        throw ShellFailure(description: "\(script): status \(status >> 8): \(text)")
    }
    return text
}

/// Whether `/bin/sh` finds all of these programs.
public func hasPrograms(_ names: String...) -> Bool {
    names.allSatisfy { (try? shell("command -v \($0)")) != nil }
}
