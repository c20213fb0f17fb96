import Catalog
import DataPlane
import DataPlanes
import EnginePlane
import HostConditioning
import KernelPlane
import LinuxKernel
import Matrix
import NetworkPath
import Override
import ProfileFormat
import Recording
import Sandbox
import SystemPackage
import UserCatalog
import Verification

/// The exit codes of linkcond, taken from sysexits.h where possible.
enum ExitStatus: Int32, CaseIterable {
    /// Done.
    case done = 0
    /// The command did its work, and the answer is no.
    case failed = 1
    /// The command line is wrong: an unknown profile, a bad option.
    case usage = 64
    /// The host cannot do it.
    case unavailable = 69
    /// A bug in linkcond.
    case internalFault = 70
    /// A file or standard output cannot be written.
    case cannotWrite = 73
    /// A file cannot be read.
    case cannotRead = 74
    /// The caller lacks the privilege.
    case noPermission = 77
    /// A profile, scenario or configuration file is wrong.
    case badFile = 78
    /// A sandbox could not be made or did not last.
    case sandbox = 125
    /// The command to run cannot be executed.
    case notExecutable = 126
    /// The command to run does not exist.
    case notFound = 127

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
        case let error as SandboxError: self.init(of: error)
        case let error as TargetError: self.init(of: error)
        case let error as KernelError: self.init(of: error, otherwise: .internalFault)
        case let error as HostError: self = error.fault == .usage ? .usage : .unavailable
        case is OutputError, is RecordingFileError: self = .cannotWrite
        case is UnavailableError: self = .unavailable
        case let error as FileAccessError:
            self = error.access == .reading ? .cannotRead : .cannotWrite
        case let error as LinkFailure: self.init(of: error)
        case let error as RecordingError: self.init(of: error)
        case is VerificationError: self = .failed
        case let error as MatrixError: self.init(of: error)
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
        case _ where error.operation == .lock: self = .failed
        default: self = status
        }
    }

    private init(of error: InterfaceError) {
        switch error {
        case .noSuchInterface, .noDefaultRoute: self = .usage
        case .noInterfaces: self = .unavailable
        case .netlink: self = .failed
        }
    }

    private init(of error: DataPlaneError) {
        switch error {
        case .otherPlane, .noSuchConditions: self = .usage
        case .lacking: self = .unavailable
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

    private init(of error: SandboxError) {
        switch error.fault {
        case .unavailable: self = .unavailable
        case .unreadableFile: self = .cannotRead
        case .badFile: self = .badFile
        case .sandbox: self = .sandbox
        case .notExecutable: self = .notExecutable
        case .notFound: self = .notFound
        }
    }

    private init(of error: LinkFailure) {
        switch error.fault {
        case .failed: self = .failed
        case .unavailable: self = .unavailable
        case .cannotWrite: self = .cannotWrite
        case .ourOwn: self = .internalFault
        }
    }

    private init(of error: RecordingError) {
        switch error.fault {
        case .nothingPassed: self = .failed
        case .notExecutable: self = .notExecutable
        case .notFound: self = .notFound
        }
    }

    private init(of error: MatrixError) {
        switch error.fault {
        case .usage: self = .usage
        case .cannotWrite: self = .cannotWrite
        case .cannotRead: self = .cannotRead
        case .badFile: self = .badFile
        }
    }

    private init(of error: CatalogError) {
        switch error {
        case .unknown, .unknownScenario, .ambiguous: self = .usage
        case .unreadable(.inaccessible): self = .cannotRead
        case .unreadable(.malformed): self = .badFile
        }
    }
}

/// A combination of options that no data plane supports.
struct UnavailableError: Error, CustomStringConvertible {
    let description: String
}
