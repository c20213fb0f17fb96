import ArgumentParser
import Catalog
import DataPlane
import DataPlanes
import EnginePlane
import HostConditioning
import KernelPlane
import LinkModel
import LinuxKernel
import NetworkPath
import Override
import ProfileFormat
import Recording
import SystemPackage
import UserCatalog
import Verification

extension ExitStatus {
    /// The exit code for `error`. Only this initializer decides it.
    init(of error: any Error) {
        switch error {
        case let error as CatalogError: self.init(of: error)
        case let error as InterfaceError: self.init(of: error)
        case let error as DataPlaneError: self.init(of: error)
        case let error as KernelPlaneError: self.init(of: error)
        case let error as EngineError: self.init(of: error)
        case let error as OverrideError: self.init(of: error)
        case is NetworkPathError: self = .unavailable
        case is UnsupportedConditions: self = .unavailable
        case is UsageError: self = .usage
        case is ProfileError: self = .badFile
        case let error as any ErrorWithExitStatus: self = error.status
        case let error as TargetError: self.init(of: error)
        case let error as KernelError: self.init(of: error, otherwise: .internalFault)
        case is OutputError, is RecordingFileError: self = .cannotWrite
        case is UnavailableError: self = .unavailable
        default: self = .internalFault
        }
    }

    private init(of error: KernelPlaneError) {
        switch error {
        case .ownInterface, .alreadyConditioned: self = .usage
        case .interfaceDown, .indexTooLarge, .foreignFilters, .ingressQdisc,
            .missingFeatures,
            .unsupported, .tooManyConditions, .unreadableSelector:
            self = .unavailable
        case .missingPrivilege: self = .noPermission
        case .kernel(let error): self.init(of: error, otherwise: .cannotWrite)
        case .refused, .vanished, .netlink: self = .failed
        }
    }

    private init(of error: KernelError, otherwise status: ExitStatus) {
        switch error.errno {
        case _ where error.isMissingPrivilege: self = .noPermission
        case .readOnlyFileSystem, .noSpace, .diskQuotaExceeded: self = .cannotWrite
        case .wouldBlock where error.operation == .lock: self = .busy
        case _ where error.operation == .lock: self = .failed
        default: self = status
        }
    }

    private init(of error: InterfaceError) {
        switch error {
        case .noSuchInterface, .noDefaultRoute, .redirectionTarget: self = .usage
        case .noInterfaces: self = .unavailable
        case .netlink: self = .failed
        }
    }

    private init(of error: DataPlaneError) {
        switch error {
        case .otherPlane, .noSuchConditions: self = .usage
        case .lacking, .middlebox: self = .unavailable
        }
    }

    private init(of error: OverrideError) {
        switch error {
        case .noSuchInterface, .noDefaultRoute, .ownInterface, .severalPreferred: self = .usage
        case .nothingToPrefer, .aliasFull: self = .unavailable
        case .missingPrivilege: self = .noPermission
        case .contested, .refused, .kernel, .refusedBySandbox: self = .failed
        }
    }

    private init(of error: EngineError) {
        switch error.fault {
        case .usage: self = .usage
        case .unavailable: self = .unavailable
        case .permission, .stranger: self = .noPermission
        case .unreadableFile: self = .cannotRead
        case .badFile: self = .badFile
        case .failed: self = .failed
        }
    }

    private init(of error: TargetError) {
        switch error {
        case .noSuchNamespace, .notANamespace, .noSuchProcess, .noSuchContainer,
            .ambiguousContainer, .sharedNetwork:
            self = .usage
        case .stoppedContainer, .unreadable: self = .unavailable
        case .missingPrivilege: self = .noPermission
        }
    }

    private init(of error: CatalogError) {
        switch error {
        case .unknown, .isScenario, .unknownScenario, .isProfile, .ambiguous: self = .usage
        case .unreadable(.inaccessible): self = .cannotRead
        case .unreadable(.malformed): self = .badFile
        }
    }
}

extension ExitCode {
    /// Ends the program with this status.
    init(_ status: ExitStatus) { self.init(status.rawValue) }
}

/// A combination of options that no data plane supports.
struct UnavailableError: Error, CustomStringConvertible {
    let description: String
}
