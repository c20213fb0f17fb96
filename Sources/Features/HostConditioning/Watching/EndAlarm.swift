import LinuxKernel
import SystemPackage

/// The events that end limited conditions.
struct EndAlarm {
    private let timer: BootTimer?
    private let process: ProcessDescriptor?

    /// Starts waiting for whichever comes first.
    init(after duration: Duration?, exitOf process: Int32?) throws(KernelError) {
        timer = try duration.map { duration throws(KernelError) in
            try BootTimer(endingIn: duration)
        }
        self.process = try process.map { process throws(KernelError) in
            try ProcessDescriptor(process)
        }
    }

    /// The file descriptors to wait for: one becomes readable when it happens.
    var descriptors: [FileDescriptor] {
        [timer?.descriptor, process?.descriptor].compactMap { $0 }
    }
}
