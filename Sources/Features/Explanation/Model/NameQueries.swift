import LinuxKernel

/// The names that were asked for.
struct NameQueries {
    /// A question that has no answer yet.
    struct Query {
        /// What was waited for until it was last sent.
        var sent: Progress
        /// What was waited for until it arrived at the server.
        var arrival: Progress?
        /// Whether it or its answer was dropped.
        var isLost: Bool
    }

    /// What became of a name.
    struct Name: Sendable, Hashable {
        var name: String
        var type: String
        /// How often it was asked for anew, after it had been answered.
        var questions: Int
        /// How often a question was repeated for want of an answer.
        var repetitions: Int
        var packets: PacketNumbers
        /// What the answers said.
        var addresses: [IPAddress] = []
    }

    private struct Key: Hashable {
        var name: String
        var type: UInt16

        init(_ message: DNSMessage) { (name, type) = (message.name, message.type) }
    }

    /// More names are not kept.
    private static let mostNames = 2000
    private static let mostAddresses = 8

    private var open: [Key: Query] = [:]
    private var indexes: [Key: Int] = [:]
    private(set) var names: [Name] = []

    func query(_ message: DNSMessage) -> Query? { open[Key(message)] }

    mutating func ask(_ message: DNSMessage, _ packet: CapturedPacket, _ progress: Progress) {
        let key = Key(message)
        let isRepetition = open[key] != nil
        guard isRepetition || open.count < Self.mostNames else { return }
        open[key] = Query(sent: progress, isLost: packet.fate.drop != nil)
        let index: Int
        if let known = indexes[key] {
            index = known
        } else {
            guard names.count < Self.mostNames else { return }
            index = names.count
            indexes[key] = index
            names.append(
                Name(
                    name: message.name, type: message.typeName, questions: 0, repetitions: 0,
                    packets: PacketNumbers()))
        }
        if isRepetition { names[index].repetitions += 1 } else { names[index].questions += 1 }
        names[index].packets.add(packet.number)
    }

    mutating func arrived(_ message: DNSMessage, _ progress: Progress) {
        open[Key(message)]?.arrival = progress
    }

    mutating func answer(_ message: DNSMessage, _ packet: CapturedPacket) {
        if packet.fate.drop == nil {
            open[Key(message)] = nil
            if let index = indexes[Key(message)], names[index].addresses.isEmpty {
                names[index].addresses = Array(message.addresses.prefix(Self.mostAddresses))
            }
        } else {
            open[Key(message)]?.isLost = true
        }
    }
}
