import LinuxKernel
import SystemPackage

/// What ends conditions with a limit.
struct EndAlarm {
    private let timer: BootTimer?
    private let process: ProcessDescriptor?

    /// Begins to wait for whichever comes first.
    init(after duration: Duration?, exitOf process: Int32?) throws(KernelError) {
        timer = try duration.map { duration throws(KernelError) in
            try BootTimer(endingIn: duration)
        }
        self.process = try process.map { process throws(KernelError) in
            try ProcessDescriptor(process)
        }
    }

    /// What to wait on: one of them has something to read when it has come.
    var descriptors: [FileDescriptor] {
        [timer?.descriptor, process?.descriptor].compactMap { $0 }
    }
}
