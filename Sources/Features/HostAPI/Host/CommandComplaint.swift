import HTTPAPI

/// What a command that failed says is wrong.
///
/// Wrong arguments are followed by help, which is about options of the command line, and by its usage:
///
///     linkcond: The value 'x' is invalid for '--kind <kind>'. Please provide one of the following:
///       - wifi
///       - cellular
///     Help:  --kind <kind>  Its kind.
///     Usage: linkcond override set [-i <name> ...]
///       See 'linkcond override set --help' for more information.
struct CommandComplaint: CustomStringConvertible {
    private static let prefixes = ["linkcond: ", "Error: "]
    private static let item = "  - "

    /// One sentence; empty if it said nothing.
    let description: String

    /// Finds it in the lines of standard error.
    init(in messages: [String]) {
        for index in messages.indices.reversed() {
            let line = messages[index]
            guard let prefix = Self.prefixes.first(where: line.hasPrefix) else { continue }
            let items = messages[(index + 1)...].prefix { $0.hasPrefix(Self.item) }
                .map { String($0.dropFirst(Self.item.count)) }
            let choices = items.isEmpty ? "" : " " + items.joined(separator: ", ")
            description = line.dropFirst(prefix.count) + choices
            return
        }
        // Of a program that crashed, for example.
        description = messages.last { !$0.hasPrefix("note: ") } ?? ""
    }
}

extension APIError {
    /// What the command line complained of.
    init(_ result: CommandResult) {
        let message = CommandComplaint(in: result.messages).description
        let status =
            switch result.exitCode {
            case 64 where message.contains("no such interface"): 404
            // 74: a file that the client names cannot be read.
            case 64, 74, 78: 400
            case 77: 403
            case 69: 422
            case 75: 503
            default: 500
            }
        self.init(
            status,
            message.isEmpty ? "linkcond ended with \(result.exitCode) and said nothing" : message)
    }
}
