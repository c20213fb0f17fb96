import FoundationEssentials

/// The ways to an interface's packets.
enum HookKind: String, CaseIterable {
    /// Tables of the packet filter; preferred, since the kernel takes them away with their process.
    case nftables
    /// Filters of tc, where the packet filter has no hooks on devices, or nft is not installed.
    case clsact

    /// The variable of the environment that names the only kind to be used, such as for tests.
    static let variable = "LINKCOND_ENGINE_HOOKS"

    /// The kinds that may be used, in the order in which they are tried.
    static var allowed: [HookKind] {
        let wish = ProcessInfo.processInfo.environment[variable]
        return wish.flatMap(HookKind.init).map { [$0] } ?? allCases
    }

    /// Opens the first kind that there is in the network namespace of the calling thread.
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
