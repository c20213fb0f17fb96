import LinkModel
import LinkUnits
import Yams

/// The fields of a direction, in the order in which a profile writes them.
enum DirectionField: String, CaseIterable {
    case bandwidth, delay, jitter, distribution, loss, duplicate, corrupt, reorder, queue, aqm
    case ecn, trace

    static let names = allCases.map(\.rawValue)

    /// Reads this field from `reader`, if it is there, into `conditions`.
    func read(
        from reader: FieldReader, into conditions: inout DirectionConditions
    ) throws(ProfileError) {
        let key = rawValue
        guard reader.node(key) != nil else { return }
        switch self {
        case .bandwidth:
            // `unlimited` lets --set take away what a profile limits.
            let isUnlimited = try reader.text(key) == "unlimited"
            conditions.bandwidth =
                isUnlimited ? nil : try reader.quantity(key, Bandwidth.init(parsing:))
        case .delay:
            conditions.delay = try reader.quantity(key, Duration.init(parsing:)) ?? .zero
        case .jitter:
            let amount = try reader.quantity(key, Duration.init(parsing:)) ?? .zero
            let distribution = conditions.jitter?.distribution ?? .normal
            conditions.jitter =
                amount > .zero ? Jitter(amount: amount, distribution: distribution) : nil
        case .distribution:
            let distribution = try reader.choice(key, Jitter.Distribution.self) ?? .normal
            guard conditions.jitter != nil else {
                throw reader.error(key, "says how jitter is distributed; give a jitter too")
            }
            conditions.jitter?.distribution = distribution
        case .loss:
            conditions.loss = try loss(from: reader)
        case .duplicate:
            conditions.duplicate = try reader.quantity(key, Ratio.init(parsing:)) ?? .zero
        case .corrupt:
            conditions.corrupt = try reader.quantity(key, Ratio.init(parsing:)) ?? .zero
        case .reorder:
            conditions.reorder = try reordering(from: reader)
        case .queue:
            conditions.queue = try reader.quantity(key, QueueLimit.init(parsing:))
        case .aqm:
            conditions.aqm = try reader.choice(key, QueueManagement.self) ?? .dropTail
        case .ecn:
            conditions.ecn = try reader.flag(key)
        case .trace:
            conditions.trace = try reader.text(key)
        }
    }

    /// `10%` or `{ mean: 2%, burst: 8 }`.
    private func loss(from reader: FieldReader) throws(ProfileError) -> LossModel {
        guard let inner = try inner(of: reader, known: ["mean", "burst"]) else {
            return .random(try reader.quantity(rawValue, Ratio.init(parsing:)) ?? .zero)
        }
        let mean = try meanRatio(of: inner)
        guard let text = try inner.text("burst") else { return .random(mean) }
        guard let burst = Double(packetNumber(text)) else {
            throw inner.error("burst", "\"\(text)\" is not a mean number of packets, such as 8")
        }
        return .bursts(mean: mean, burst: burst)
    }

    /// `1%` or `{ mean: 1%, gap: 5 }`.
    private func reordering(from reader: FieldReader) throws(ProfileError) -> Reordering? {
        guard let inner = try inner(of: reader, known: ["mean", "gap"]) else {
            let mean = try reader.quantity(rawValue, Ratio.init(parsing:)) ?? .zero
            return mean > .zero ? Reordering(mean: mean) : nil
        }
        let mean = try meanRatio(of: inner)
        guard let text = try inner.text("gap") else { return Reordering(mean: mean) }
        guard let gap = Int(packetNumber(text)) else {
            throw inner.error("gap", "\"\(text)\" is not a number of packets, such as 5")
        }
        return Reordering(mean: mean, gap: gap)
    }

    private func inner(
        of reader: FieldReader, known: [String]
    ) throws(ProfileError) -> FieldReader? {
        guard let node = reader.node(rawValue), case .mapping = node else { return nil }
        return try FieldReader(
            node, file: reader.file, path: reader.fieldPath(rawValue), known: known)
    }

    private func meanRatio(of reader: FieldReader) throws(ProfileError) -> Ratio {
        guard let mean = try reader.quantity("mean", Ratio.init(parsing:)) else {
            throw reader.error("mean", "is missing; write { mean: 2%, ... }")
        }
        return mean
    }

    /// `8` of `8` or `8 packets`: a count of packets needs no unit.
    private func packetNumber(_ text: String) -> String {
        text.split(separator: " ").last == "packets"
            ? String(text.prefix { $0 != " " }) : text
    }
}

extension QueueLimit {
    /// Reads `50 packets`, `64 KiB` or `200 ms`.
    init(parsing text: String) throws(QuantityError) {
        guard text.first != "-" else {
            throw QuantityError("\"\(text)\" is negative; a queue cannot be")
        }
        let unit = text.drop { $0.isNumber || $0 == "." || $0 == " " }
        if unit == "packets" || unit == "packet" {
            let number = text.dropLast(unit.count).split(separator: " ")
            guard number.count == 1, let count = Int(number[0]) else {
                throw QuantityError("\"\(text)\" is not a whole number of packets")
            }
            self = .packets(count)
        } else if unit.last == "B" || unit.last == "b" {
            self = .bytes(try ByteCount(parsing: text))
        } else if unit.isEmpty, !text.isEmpty {
            throw QuantityError(
                "\"\(text)\" has no unit; write \"\(text) packets\", \"\(text) KiB\" or \"\(text) ms\""
            )
        } else {
            do {
                self = .time(try Duration(parsing: text))
            } catch {
                throw QuantityError(
                    "\"\(text)\" is not a queue length; write \"50 packets\", \"64 KiB\" or "
                        + "\"200 ms\"")
            }
        }
    }
}
