import LinuxKernel

/// The features that the running kernel was found to have, kept so that only the first `apply`
/// after a boot has to ask for them.
struct KernelFeatureCache {
    private let directory: StateDirectory
    private static let file = "kernel-features"

    init(_ directory: StateDirectory) {
        self.directory = directory
    }

    /// Throws if the kernel lacks what one of `plans` needs, before anything is tried.
    func check(_ plans: [InterfacePlan]) throws(ConditionerError) {
        let needed = Set(plans.flatMap(\.operations).compactMap(\.feature))
        guard !needed.isSubset(of: known) else { return }
        // Without the privilege for a namespace to ask in, trying has to tell.
        guard let answers = try? FeatureProbe.run() else { return }
        let present = answers.filter { $0.value == .present }.map(\.key.rawValue).sorted()
        try? directory.write(Self.file, Array(present.joined(separator: "\n").utf8))
        let missing = KernelFeature.allCases.filter {
            needed.contains($0) && answers[$0] == .missing
        }
        guard missing.isEmpty else { throw .missingFeatures(missing) }
    }

    private var known: Set<KernelFeature> {
        guard let bytes = directory.read(Self.file) else { return [] }
        return Set(
            String(decoding: bytes, as: UTF8.self).split(separator: "\n")
                .compactMap { KernelFeature(rawValue: String($0)) })
    }
}
