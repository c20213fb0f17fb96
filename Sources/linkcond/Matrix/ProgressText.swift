import Matrix
import Recording

/// The progress of a matrix, as text.
enum ProgressText {
    /// A line for the whole and one for each profile, as far as they fit.
    static func table(_ progress: MatrixProgress, rows: Int, columns: Int) -> String {
        var table = Table(["PROFILE", .right("DONE"), "STATE", .right("TIME")])
        let profiles = profiles(of: progress)
        // Profiles in progress are more useful than those that are over or have not begun.
        let room = max(1, rows - 3)
        let shown = profiles.count <= room ? profiles : chosen(profiles, room)
        for profile in shown {
            table.add([
                profile.name, "\(profile.ended)/\(profile.count)", profile.state,
                profile.seconds.map(\.secondsText) ?? "-",
            ])
        }
        var lines = [summary(progress)]
        lines += table.text(isStyled: false).split(separator: "\n").map(String.init)
        if shown.count < profiles.count {
            lines.append("and \(profiles.count - shown.count) more")
        }
        return lines.map { fitted($0, columns) + "\n" }.joined()
    }

    /// `12 of 64 cells, 1 failed, 8 running; 12.3 s, about 40 s left`.
    static func summary(_ progress: MatrixProgress) -> String {
        let profiles = profiles(of: progress)
        let sum = { (count: KeyPath<ProfileLine, Int>) in
            profiles.reduce(0) { $0 + $1[keyPath: count] }
        }
        let failed = sum(\.failed)
        var text = "\(sum(\.ended)) of \(progress.cells.count) cells"
        if failed > 0 { text += ", \(failed) failed" }
        text += ", \(sum(\.running)) running; \(progress.elapsedSeconds.secondsText)"
        if let remaining = progress.remainingSeconds, remaining > 0 {
            // Tenths would suggest too much precision.
            text += ", about \(remaining.rounded(.up).secondsText) left"
        }
        return text
    }

    private struct ProfileLine {
        let name: String
        var count = 0
        var ended = 0
        var failed = 0
        var flaky = 0
        var longestRunning: Double?
        var running = 0
        var seconds: Double?

        var state: String {
            var parts: [String] = []
            if failed > 0 { parts.append(count == 1 ? "failed" : "\(failed) failed") }
            if flaky > 0 { parts.append("flaky") }
            if let longestRunning {
                let number = running > 1 ? "\(running) " : ""
                parts.append("\(number)running \(longestRunning.secondsText)")
            }
            if parts.isEmpty { parts.append(ended == count ? "passed" : "waiting") }
            return parts.joined(separator: ", ")
        }
    }

    private static func profiles(of progress: MatrixProgress) -> [ProfileLine] {
        var lines: [ProfileLine] = []
        var positions: [String: Int] = [:]
        for cell in progress.cells {
            let position = positions[cell.profile] ?? lines.count
            if position == lines.count {
                positions[cell.profile] = position
                lines.append(ProfileLine(name: cell.profile))
            }
            lines[position].count += 1
            switch cell.state {
            case .waiting: break
            case .running(let seconds):
                lines[position].running += 1
                lines[position].longestRunning = max(
                    lines[position].longestRunning ?? 0, seconds)
            case .ended(let status, let isFlaky):
                lines[position].ended += 1
                if status != .passed { lines[position].failed += 1 }
                if isFlaky { lines[position].flaky += 1 }
            }
            if let seconds = cell.seconds {
                lines[position].seconds = max(lines[position].seconds ?? 0, seconds)
            }
        }
        return lines
    }

    private static func chosen(_ profiles: [ProfileLine], _ room: Int) -> [ProfileLine] {
        let running = profiles.filter { $0.running > 0 }
        let failed = profiles.filter { $0.running == 0 && $0.failed > 0 }
        let others = profiles.filter { $0.running == 0 && $0.failed == 0 }
        return Array((running + failed + others).prefix(room))
    }

    /// Truncates a line: a wrapped line would break the line count.
    private static func fitted(_ line: String, _ columns: Int) -> String {
        var text = ""
        var width = 0
        for character in line {
            width += Table.width(String(character))
            guard width < columns else { break }
            text.append(character)
        }
        return text
    }
}
