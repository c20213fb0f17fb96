import DataPlane
import LinkModel

/// The request of `apply` to the packet engine.
struct EngineRequest: Hashable, Codable {
    /// The request itself. The engine opens none of the files that it names.
    var apply: ApplyRequest
    /// The indexes of the interfaces, since names can change.
    var interfaces: [Int32]

    private static let longestName = 32
    private static let mostInterfaces = 4096

    /// Throws for a request that no command line creates.
    func check() throws(EngineError) {
        let isName =
            (1...Self.longestName).contains(apply.name.utf8.count)
            && apply.name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                    UInt8(ascii: "."):
                    true
                default: false
                }
            }
        // It becomes a file name.
        let isWatcher = apply.limit.map { TimeLimit.isName($0.watcher) } ?? true
        guard isName, isWatcher, (1...Self.mostInterfaces).contains(interfaces.count),
            Set(interfaces).count == interfaces.count, !apply.directions.isEmpty,
            apply.selector.included.toNames.count <= HostName.mostAtOnce,
            apply.selector.resolved(by: apply.selector.addresses) != nil
        else { throw .unintelligible }
    }
}
