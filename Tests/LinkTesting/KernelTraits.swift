import Foundation
public import KernelPlane
public import Testing

extension Trait where Self == ConditionTrait {
    /// Runs a test only where the kernel has all of `features`.
    ///
    /// The kernel is asked by using them. With `LINKCOND_REQUIRE_KERNEL=1` the test fails where it
    /// would otherwise be skipped.
    public static func requiresKernel(_ features: KernelFeature...) -> Self {
        let names = features.map(\.rawValue).joined(separator: ", ")
        return .enabled("the kernel has to have \(names), and root has to ask it") {
            try KernelUnderTest.has(features)
        }
    }

    /// Runs a test only where the kernel can carry out every kind of conditions.
    public static var requiresConditioning: Self {
        .enabled("the kernel has to have all of sch_netem and its companions, and root to ask it") {
            try KernelUnderTest.has(KernelFeature.allCases)
        }
    }

    /// Runs a test only where the kernel lacks `feature`, such as to see how that is said.
    public static func requiresAbsence(of feature: KernelFeature) -> Self {
        .enabled("the kernel must not have \(feature.rawValue)") {
            try !KernelUnderTest.has([feature], isRequired: false)
        }
    }

    /// Runs a test only for somebody who may make network namespaces.
    public static var requiresNamespaces: Self { .requiresKernel() }
}

/// The kernel on which the tests run, asked once.
private enum KernelUnderTest {
    static let answers = Result { try FeatureProbe.run() }

    static var isRequired: Bool {
        ProcessInfo.processInfo.environment["LINKCOND_REQUIRE_KERNEL"] == "1"
    }

    static func has(
        _ features: [KernelFeature], isRequired: Bool = isRequired
    ) throws -> Bool {
        do {
            let answers = try answers.get()
            for feature in features where answers[feature] != .present {
                throw Lack(
                    description: "\(feature.rawValue): "
                        + "\(answers[feature].map { "\($0)" } ?? "not asked for")")
            }
            return true
        } catch {
            guard isRequired else { return false }
            throw error
        }
    }

    private struct Lack: Error, CustomStringConvertible {
        let description: String
    }
}
