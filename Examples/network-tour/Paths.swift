import Foundation
import Network

/// Several monitors of the same network.
final class Paths: Sendable {
    private let queue = DispatchQueue(label: "paths")
    private let wifi = NWPathMonitor(requiredInterfaceType: .wifi)
    private let others = NWPathMonitor(prohibitedInterfaceTypes: [.cellular, .loopback])

    /// Prints every path until the task ends.
    func print() async {
        wifi.pathUpdateHandler = { path in say("wifi: \(Self.text(path))") }
        others.pathUpdateHandler = { path in say("not cellular: \(Self.text(path))") }
        wifi.start(queue: queue)
        others.start(queue: queue)
        for await path in NWPathMonitor() { say("all: \(Self.text(path))") }
        wifi.cancel()
        others.cancel()
    }

    private static func text(_ path: NWPath) -> String {
        guard path.status == .satisfied else { return "\(path.status)" }
        let names = path.availableInterfaces.map { "\($0.name) (\($0.type))" }
        let words = [
            path.isExpensive ? "expensive" : nil, path.isConstrained ? "constrained" : nil,
            path.usesInterfaceType(.cellular) ? "by cellular" : nil,
        ].compactMap { $0 }
        return (names + words).joined(separator: ", ")
    }
}
