import LinkModel

/// What reads bytes of others.
enum FuzzTarget: String, CaseIterable {
    case profile, quantity, scenario
    case foreign = "import"
    case trace
    case matrixFile = "matrix"
    case report, junit, log, netlink
    case packet, request, mark
    case capture
    case engine, learn, proxy, json

    func run(_ bytes: [UInt8]) {
        switch self {
        case .profile: Texts.profile(bytes)
        case .quantity: Texts.quantity(bytes)
        case .scenario: Texts.scenario(bytes)
        case .foreign: Texts.foreign(bytes)
        case .trace: Texts.trace(bytes)
        case .json: Texts.json(bytes)
        case .matrixFile: Reports.matrixFile(bytes)
        case .report: Reports.report(bytes)
        case .junit: Reports.junit(bytes)
        case .log: Reports.log(bytes)
        case .netlink: Kernel.netlink(bytes)
        case .packet: Kernel.packet(bytes)
        case .request: Kernel.request(bytes)
        case .mark: Kernel.mark(bytes)
        case .capture: Captures.explain(bytes)
        case .engine: Engine.message(bytes)
        case .proxy: Proxies.message(bytes)
        case .learn: Learned.message(bytes)
        }
    }
}

/// Expects that `message` is one printable line that begins with the name of the file.
func expectLine(_ message: String, of file: String) {
    precondition(message.hasPrefix(file + ":") && message == message.printable, message)
}
