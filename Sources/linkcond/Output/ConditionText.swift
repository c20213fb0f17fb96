import DataPlane
import LinkModel
import LinkUnits
import LinuxKernel
import ProfileFormat
import TrafficControl

/// Conditions and plans as lines of text.
enum ConditionText {
    /// What was applied, as one line: `apple/LTE (down 50 Mbit/s, delay 50 ms; up …)`.
    static func summary(_ request: ApplyRequest) -> String {
        let conditions = request.conditions.withExplicitLoss
        var parts = request.directions.reversed().map { direction in
            "\(direction.rawValue) \(ProfileWriter.line(of: direction.conditions(of: conditions)))"
        }
        if let delay = conditions.dnsDelay, request.directions.contains(.up) {
            parts.append("DNS \(delay.unitText) later")
        }
        let selectors = request.selector.commandLine
        return "\(request.profile) (\(parts.joined(separator: "; ")))"
            + (selectors.isEmpty ? "" : " for \(selectors.joined(separator: " "))")
    }
}
