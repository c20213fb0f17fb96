import LinuxKernel

/// The features that the running kernel was found to have, kept so that only the first `apply`
/// after a boot has to ask for them.
struct KernelFeatureCache {
    private let directory: StateDirectory?
    private static let file = "kernel-features"

    /// Keeps it in a directory; nil: nowhere.
    init(_ directory: StateDirectory?) {
        self.directory = directory
    }

    /// Those of `needed` features that the kernel lacks, as far as the caller may ask it. What it
    /// was found to have is asked for but once.
    func missing(_ needed: Set<KernelFeature>) -> [KernelFeature] {
        guard !needed.isSubset(of: known) else { return [] }
        // Without the privilege for a namespace to ask in, trying has to tell.
        guard Privilege.mayMakeNamespaces, let answers = try? FeatureProbe.run() else { return [] }
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
