import FoundationEssentials

/// The ways to redirect an interface's packets.
enum HookKind: String, CaseIterable {
    /// nftables tables; preferred, since the kernel removes them with their process.
    case nftables
    /// tc filters, where nftables has no netdev hooks, or nft is not installed.
    case clsact

    /// The environment variable that names the only allowed kind, for example for tests.
    static let variable = "LINKCOND_ENGINE_HOOKS"

    /// The allowed kinds, in the order in which they are tried.
    static var allowed: [HookKind] {
        let wish = ProcessInfo.processInfo.environment[variable]
        return wish.flatMap(HookKind.init).map { [$0] } ?? allCases
    }

    /// Opens the first kind that is available in the network namespace of the calling thread.
    static func open() throws(EngineError) -> any Hooks {
        var lacks: [EngineError] = []
        for kind in allowed {
            do {
                return try kind.open()
            } catch {
                lacks.append(error)
            }
        }
        throw .lacking(lacks)
    }

    private func open() throws(EngineError) -> any Hooks {
        switch self {
        case .nftables: try PacketFilterHooks()
        case .clsact: try ClassifierHooks()
        }
    }
}
