/// What happens to the app, and so which assets are fetched, and over which networks.
public enum AssetEvent: String, Hashable, Sendable, CaseIterable {
    /// The app was launched, and its user waits.
    case launch
    /// The app was installed, before its first launch.
    case install
    /// The app was updated, before the next launch.
    case update
    /// Nothing; from time to time.
    case periodic
}

/// Which assets to fetch, in this order. A value: it reads no clock, file or network.
struct AssetPlan: Hashable, Sendable {
    /// An asset that is missing.
    struct Step: Hashable, Sendable {
        var asset: AssetManifest.Asset
        /// Whether somebody waits for it, so that expensive and constrained networks are used.
        var isUrgent: Bool
    }

    var steps: [Step]

    /// - Parameters:
    ///   - missing: The names of assets that are not there, or have changed.
    ///   - known: The names of assets that were installed once; of those on demand, only these are
    ///     kept up to date.
    ///   - requested: The names of assets on demand that the app asks for.
    init(
        _ manifest: AssetManifest, event: AssetEvent, missing: Set<String>, known: Set<String>,
        requested: Set<String>
    ) {
        let wanted = manifest.assets.filter { missing.contains($0.name) }
        let urgent = wanted.filter { asset in
            event != .periodic && asset.policy == .essential || requested.contains(asset.name)
        }
        let others = wanted.filter { asset in
            !urgent.contains(asset) && (asset.policy != .onDemand || known.contains(asset.name))
        }
        // Essential ones first, also if nobody waits.
        let ordered =
            others.filter { $0.policy == .essential } + others.filter { $0.policy != .essential }
        steps =
            urgent.map { Step(asset: $0, isUrgent: true) }
            + ordered.map { Step(asset: $0, isUrgent: false) }
    }

    /// The bytes that the disk must have for some steps, with the parts that are there already.
    static func neededSpace(_ steps: [Step], partial: (AssetManifest.Asset) -> Int64) -> Int64 {
        steps.reduce(0) { sum, step in
            let missing = max(0, step.asset.size - partial(step.asset))
            // A manifest may say anything.
            let (total, isTooLarge) = sum.addingReportingOverflow(missing)
            return isTooLarge ? .max : total
        }
    }
}
