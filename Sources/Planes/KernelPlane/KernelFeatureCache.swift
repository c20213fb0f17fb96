import LinuxKernel

/// The features found in the running kernel, cached so that only the first `apply` after a boot has
/// to test them.
struct KernelFeatureCache {
    private let directory: StateDirectory?
    private static let file = "kernel-features"

    /// Stores the cache in a directory; nil: nowhere.
    init(_ directory: StateDirectory?) {
        self.directory = directory
    }

    /// Those of `needed` features that the kernel lacks, as far as the caller may test. Features
    /// found once are not tested again.
    func missing(_ needed: Set<KernelFeature>) -> [KernelFeature] {
        guard !needed.isSubset(of: known) else { return [] }
        // Without the privilege to create a test namespace, only applying shows what is missing.
        guard let answers = try? FeatureProbe.run() else { return [] }
        let present = answers.filter { $0.value == .present }.map(\.key.rawValue).sorted()
        try? directory?.write(Self.file, Array(present.joined(separator: "\n").utf8))
        return KernelFeature.allCases.filter { needed.contains($0) && answers[$0] == .missing }
    }

    private var known: Set<KernelFeature> {
        guard let bytes = directory?.read(Self.file) else { return [] }
        return Set(
            String(decoding: bytes, as: UTF8.self).split(separator: "\n")
                .compactMap { KernelFeature(rawValue: String($0)) })
    }
}
