public import LinkModel

extension ProfileWriter {
    /// The fields of a direction, without the key if the unit implies it: `50 Mbit/s, delay 50 ms`.
    public static func line(of conditions: DirectionConditions) -> String {
        let fields = fields(of: conditions).map { key, value in
            key == "bandwidth" ? value : "\(key) \(value)"
        }
        return fields.isEmpty ? "unlimited" : fields.joined(separator: ", ")
    }
}
