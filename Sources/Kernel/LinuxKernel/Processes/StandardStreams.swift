import Glibc
public import SystemPackage

/// The descriptors 0, 1 and 2.
public enum StandardStreams {
    /// Occupies those that the caller has closed, so that no file or socket gets their numbers, to
    /// which a message would go then; the first thing that a program does.
    ///
    /// To read and to write fails as before, and programs started from here find them closed, as
    /// the caller wanted.
    public static func reserve() {
        for number in 0...2 as ClosedRange<Int32> where fcntl(number, F_GETFD) < 0 {
            let mode = number == STDIN_FILENO ? O_WRONLY : O_RDONLY
            // The lowest free number is taken. Without /dev there is always a root directory.
            if unsafe open("/dev/null", mode | O_CLOEXEC) < 0 {
                _ = unsafe open("/", O_RDONLY | O_CLOEXEC)
            }
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
