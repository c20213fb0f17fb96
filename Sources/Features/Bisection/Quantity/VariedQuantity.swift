public import LinkModel
import LinkUnits

/// What a search varies: a field of the profile, an outage, or the time of an event.
public struct VariedQuantity: Sendable, Hashable {
    /// Where its values go.
    public enum Subject: Sendable, Hashable {
        /// The fields, as for `--set`.
        case fields([String])
        /// The length of an outage during the run.
        case outage
        /// When an event of the scenario happens, numbered from 1.
        case event(Int)
    }

    /// The name that the user gave.
    public let name: String
    /// Where its values go.
    public let subject: Subject
    /// How its values are ordered.
    public let scale: FieldScale

    private static let ordered = ConditionField.all.filter { $0.scale != nil }

    /// The names of all quantities, apart from the times of events.
    public static let names =
        ["", "down.", "up."].flatMap { prefix in ordered.map { prefix + $0.key } }
        + ["dns.delay", "outage"]

    /// Reads a name: `down.bandwidth`, `delay` for both directions, `outage`, `scenario:3.at`.
    public init(named name: String) throws(BisectionError) {
        self.name = name
        if name == "outage" {
            (subject, scale) = (.outage, .duration)
            return
        }
        if name == "dns.delay" {
            (subject, scale) = (.fields([name]), .duration)
            return
        }
        if name.hasPrefix("scenario:") {
            let rest = name.dropFirst("scenario:".count)
            guard rest.hasSuffix(".at"), let number = Int(rest.dropLast(3)), number > 0 else {
                throw BisectionError(
                    .usage,
                    "--vary \(name): write the number of an event of the scenario, from 1, as in "
                        + "scenario:3.at")
            }
            (subject, scale) = (.event(number), .duration)
            return
        }
        let prefix = ["down.", "up."].first { name.hasPrefix($0) }
        let key = String(name.dropFirst(prefix?.count ?? 0))
        guard let field = ConditionField.all.first(where: { $0.key == key }) else {
            let nearest = NameMatching.suggestion(for: name, among: Self.names)
            let all = Self.ordered.map(\.key).joined(separator: ", ")
            throw BisectionError(
                .usage,
                "--vary \(name): no such quantity; "
                    + (nearest.map { "did you mean \($0)?" }
                        ?? "write one of \(all), with down. or up. for one direction, dns.delay, "
                        + "outage, or scenario:3.at"))
        }
        guard let scale = field.scale else {
            let all = Self.ordered.map(\.key).joined(separator: ", ")
            throw BisectionError(
                .usage,
                "--vary \(name): its values have no order; write one of \(all), dns.delay, outage, "
                    + "or scenario:3.at")
        }
        self.scale = scale
        subject = .fields(prefix == nil ? ["down.\(key)", "up.\(key)"] : [name])
    }

    /// Whether an end of a range is a value of the quantity.
    func problem(of value: OrderedValue) -> String? {
        value.unit == .bitsPerSecond && value.number < 1 ? "has to be at least 1 bit/s" : nil
    }
}
