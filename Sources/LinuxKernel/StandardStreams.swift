import Glibc
public import SystemPackage

/// The descriptors 0, 1 and 2.
public enum StandardStreams {
    /// Occupies those that the caller has closed, so that nothing else gets their numbers;
    /// programs started from here find them closed, as the caller wanted.
    public static func reserve() {
        for number in 0...2 as ClosedRange<Int32> where fcntl(number, F_GETFD) < 0 {
            // The lowest free number is taken.
            _ = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        }
    }

    /// Has this process read nothing, and write both outputs to `output`.
    public static func redirect(to output: FileDescriptor) {
        let null = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        dup2(null, STDIN_FILENO)
        if null != STDIN_FILENO { close(null) }
        dup2(output.rawValue, STDOUT_FILENO)
        dup2(output.rawValue, STDERR_FILENO)
    }

    /// Lets go of both outputs: what is written from now on goes nowhere.
    public static func silence() {
        _ = fflush(nil)
        let nothing = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard nothing >= 0 else { return }
        for number in 1...2 as ClosedRange<Int32> { _ = dup2(nothing, number) }
        close(nothing)
    }
}
