import Glibc
import LinuxKernel
import SystemPackage

/// A private message bus for a sandbox.
///
/// Its abstract socket has no file and exists only in the network namespace in which it was made.
/// The daemon ends with this process.
struct BusDaemon: ~Copyable {
    /// The address of the bus.
    let address: String
    private let voice: Pipe

    private static let patience = Duration.seconds(20)

    /// Starts a bus and waits until it accepts connections.
    ///
    /// - Parameter startsServices: Whether it starts the desktop session's services when they are
    ///   called, as a session bus does.
    static func start(startsServices: Bool) throws -> BusDaemon {
        guard let path = HelperProgram.path(of: "dbus-daemon") else {
            throw HelperFailure(
                "dbus-daemon is not installed; install it: sudo apt install dbus")
        }
        let configuration = try MemoryFile.open(Self.configuration(startsServices: startsServices))
        defer { try? configuration.close() }
        var voice = try Pipe()
        var program = Program(
            path,
            [
                // The daemon closes its standard input before it reads anything.
                "--config-file=/proc/\(getpid())/fd/\(configuration.rawValue)", "--nofork",
                "--nopidfile", "--nosyslog",
                "--print-address=1",
            ])
        program.streams = [nil, voice.writer, voice.writer]
        program.diesWithParent = true
        do {
            _ = try program.start()
        } catch {
            throw HelperFailure("cannot start \(path): \(error.errno)")
        }
        voice.closeWriter()
        return BusDaemon(address: try Self.address(saidBy: voice), voice: voice)
    }

    /// The file descriptor to wait for before calling `listen()`.
    var descriptor: FileDescriptor { voice.reader }

    /// Discards the daemon's log output, whose pipe must not fill up.
    borrowing func listen() {
        _ = voice.read(upTo: "\n", within: .zero)
    }

    /// The daemon may warn about limits that it cannot raise before it prints its address.
    private static func address(saidBy voice: borrowing Pipe) throws -> String {
        var complaints: [String] = []
        while complaints.count < 10 {
            let (line, isComplete) = voice.read(upTo: "\n", within: patience)
            if line.hasPrefix("unix:") { return line }
            guard isComplete, !line.isEmpty else { break }
            complaints.append(line)
        }
        throw HelperFailure("dbus-daemon did not start: \(complaints.joined(separator: "; "))")
    }

    /// Everyone who can reach the socket may do everything. Only the kernel's credentials are
    /// accepted as authentication.
    private static func configuration(startsServices: Bool) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>unix:abstract=linkcond-bus</listen>
          <auth>EXTERNAL</auth>
          \(startsServices ? "<standard_session_servicedirs/>" : "")
          <policy context="default">
            <allow user="*"/>
            <allow own="*"/>
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
          </policy>
        </busconfig>
        """
    }
}

/// Why the helper cannot do its work.
struct HelperFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
