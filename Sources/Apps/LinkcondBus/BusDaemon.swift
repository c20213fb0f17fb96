import Glibc
import LinuxKernel
import SystemPackage

/// A message bus of the sandbox's own.
///
/// Its socket has a name but no file, and is found only in the network namespace in which it was
/// made. The daemon ends with this process.
struct BusDaemon: ~Copyable {
    /// Where it is reached.
    let address: String
    private let voice: Pipe

    private static let patience = Duration.seconds(20)

    /// Starts one, and waits until it can be reached.
    ///
    /// - Parameter startsServices: whether it starts the programs of the desktop session when they
    ///   are called, as a session's bus does.
    static func start(startsServices: Bool) throws -> BusDaemon {
        guard let path = HelperProgram.path(of: "dbus-daemon") else {
            throw HelperFailure(
                "dbus-daemon is not installed; install it: sudo apt install dbus")
        }
        let configuration = try MemoryFile.open(Self.configuration(startsServices: startsServices))
        defer { try? configuration.close() }
        var voice = try Pipe()
        var program = Program(
            [
                // Its own standard input it closes before it reads anything.
                path, "--config-file=/proc/\(getpid())/fd/\(configuration.rawValue)", "--nofork",
                "--nopidfile", "--nosyslog",
                "--print-address=1",
            ].map { RawText($0) })
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

    /// What to wait on before `listen()`.
    var descriptor: FileDescriptor { voice.reader }

    /// Takes what it says of its work, which nobody wants to know: it must have somebody to say it
    /// to.
    borrowing func listen() {
        _ = voice.read(upTo: "\n", within: .zero)
    }

    /// It may complain of limits that it cannot raise, before it says where it is.
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

    /// Everybody who gets as far as the socket may do everything. Only the kernel's word for who
    /// they are is believed.
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

/// Why the helper cannot do what it is for.
struct HelperFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
