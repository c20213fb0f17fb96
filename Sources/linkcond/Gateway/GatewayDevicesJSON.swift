import Gateway
import HostConditioning
import LinkModel

/// The output of `gateway devices --json`. The keys are a stable interface: see
/// `Profiles/schema/gateway-devices.schema.json`.
struct GatewayDevicesJSON: Encodable {
    struct Device: Encodable {
        @OrNull var name: String?
        let hardwareAddress: String
        let addresses: [String]
        let present: Bool
        let profile: String
        let by: String
        @OrNull var until: String?
        let expensive: Bool
        @OrNull var down: CountedDirectionJSON<CountersJSON>?
        @OrNull var up: CountedDirectionJSON<CountersJSON>?
        @OrNull var problem: String?
    }

    let devices: [Device]

    init(_ reports: [DeviceReport]) {
        devices = reports.map { report in
            func way(_ way: DeviceReport.Way?) -> CountedDirectionJSON<CountersJSON>? {
                way.map {
                    CountedDirectionJSON(
                        $0.conditions, CountersJSON($0.counters ?? DirectionCounters()))
                }
            }
            return Device(
                name: report.name, hardwareAddress: "\(report.hardware)",
                addresses: report.addresses, present: report.isPresent, profile: report.profile,
                by: report.reason, until: report.until.map(Timestamp.text),
                expensive: report.isExpensive, down: way(report.down), up: way(report.up),
                problem: report.problem)
        }
    }
}
