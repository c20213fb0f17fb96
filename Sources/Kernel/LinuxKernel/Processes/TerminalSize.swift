import Glibc
public import SystemPackage

/// How much a terminal shows.
public struct TerminalSize: Sendable, Hashable {
    /// Its lines.
    public let rows: Int
    /// Its characters in a line.
    public let columns: Int

    /// The size of the terminal behind a descriptor; nil if there is none, or it does not say.
    public static func current(of descriptor: FileDescriptor) -> TerminalSize? {
        var size = winsize()
        guard unsafe ioctl(descriptor.rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0,
            size.ws_col > 0
        else { return nil }
        return TerminalSize(rows: Int(size.ws_row), columns: Int(size.ws_col))
    }
}
