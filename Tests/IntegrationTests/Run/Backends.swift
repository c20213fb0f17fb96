import KernelPlane
import Testing

/// What carries out conditions on the machine of the tests.
enum Backends {
    private static let hasKernelPlane = Result {
        let answers = try FeatureProbe.run()
        return KernelFeature.allCases.allSatisfy { answers[$0] == .present }
    }

    /// Whether `backend` serves here: the packet engine everywhere, the kernel's where it has all
    /// features.
    static func serves(_ backend: String) throws -> Bool {
        try backend == "engine" || hasKernelPlane.get()
    }
}
