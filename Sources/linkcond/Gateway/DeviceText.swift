import Gateway
import HostConditioning
import LinkModel
import ProfileFormat

/// Devices behind a gateway for people.
enum DeviceText {
    static func table(_ devices: [DeviceReport], isStyled: Bool) -> String {
        guard !devices.isEmpty else { return "no device has come yet\n" }
        var table = Table([
            "NAME", "ADDRESS", "NETWORK", "BY", "UNTIL", .right("DOWN"), .right("UP"),
        ])
        for device in devices {
            table.add([
                device.name ?? "\(device.hardware)",
                device.isPresent ? device.addresses.first ?? "-" : "gone",
                device.profile, device.reason, device.until.map(Timestamp.text) ?? "-",
                rate(device.down), rate(device.up),
            ])
        }
        let problems = devices.compactMap { device in
            device.problem.map { "\(device.name ?? "\(device.hardware)"): \($0)\n" }
        }
        return table.text(isStyled: isStyled) + problems.joined()
    }

    private static func rate(_ way: DeviceReport.Way?) -> String {
        way?.counters.map { StatusTable.rate($0.bitsPerSecond) } ?? "-"
    }

    /// What a device has, as one line.
    static func line(_ device: DeviceReport) -> String {
        let ways = [("down", device.down), ("up", device.up)].compactMap { name, way in
            way.map { "\(name) \(ProfileWriter.line(of: $0.conditions))" }
        }
        return "\(device.name ?? "\(device.hardware)"): \(device.profile)"
            + (ways.isEmpty ? "" : " (\(ways.joined(separator: "; ")))")
            + (device.until.map { ", until \(Timestamp.text($0))" } ?? "")
    }
}
