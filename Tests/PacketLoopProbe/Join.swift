import Foundation
import LinkModel
import PacketLoop
import ProfileFormat

/// Joins two interfaces, and says for each line it reads what was done so far.
enum Join {
    static func run(_ arguments: ArraySlice<String>) throws {
        guard let app = arguments.first, let far = arguments.dropFirst().first,
            let seed = arguments.dropFirst(2).first.flatMap({ UInt64($0) })
        else { throw Usage() }
        let loop = try PacketLoop(
            appSide: try index(of: app), farSide: try index(of: far),
            conditions: try conditions(arguments.dropFirst(3).joined(separator: ";")), seed: seed)
        try loop.start()
        say("ready")
        while let line = readLine() {
            if !line.isEmpty { loop.change(to: try conditions(line)) }
            try say(Report(loop.statistics))
        }
        loop.stop()
    }

    private static func conditions(_ settings: String) throws -> LinkConditions {
        var conditions = LinkConditions()
        for setting in settings.split(separator: ";") {
            let setting = setting.trimmingCharacters(in: .whitespaces)
            try ProfileReader.apply(setting: setting, to: &conditions)
        }
        return conditions
    }
}
