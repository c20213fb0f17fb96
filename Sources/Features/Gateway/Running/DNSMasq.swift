import Glibc
import LinuxKernel
import SystemPackage

/// A running dnsmasq, which ends with this process.
final class DNSMasq {
    /// The program.
    let path: String
    /// What it runs in; readable when it has ended.
    let process: ProcessDescriptor
    private let number: Int32
    private let program: GuardedProgram

    private static let startLimit = Duration.seconds(20)
    private static let endLimit = Duration.seconds(5)

    /// Starts it, and returns when it serves.
    init(_ path: String, _ configuration: DNSMasqConfiguration) throws {
        let files = configuration.files
        self.path = path
        // That of another one would look like its own.
        try Self.write("", to: files.process)
        try Self.write(configuration.text, to: files.configuration)
        program = try GuardedProgram(
            path, ["--keep-in-foreground", "--conf-file=\(files.configuration)"], readyNumber: 3)
        let deadline = ContinuousClock.now + Self.startLimit
        while !program.hasEnded, ContinuousClock.now < deadline {
            // Written when it has opened its sockets.
            if let text = try? SmallFile.read(files.process),
                let number = Int32(text.prefix { !$0.isNewline }), text.contains("\n")
            {
                process = try ProcessDescriptor(number)
                self.number = number
                return
            }
            _ = Readiness.wait(for: [], timeout: .milliseconds(20))
        }
        let message = program.message()
        throw GatewayError(
            "dnsmasq does not run: \(message.isEmpty ? "it says nothing" : message)"
                + (message.contains("in use")
                    ? "; end the other DNS or DHCP server at this address (ss -lnup shows it)" : "")
        )
    }

    /// Ends it. It is asked first: one that is killed while it writes the leases leaves a file without
    /// them, and its successor would give the same addresses to other devices.
    func stop() {
        if !process.hasEnded {
            LinuxKernel.Process.signal(SIGTERM, to: number)
            _ = Readiness.wait(for: [process.descriptor], timeout: Self.endLimit)
        }
        program.stop()
    }

    private static func write(_ text: String, to path: String) throws {
        do throws(Errno) {
            try ReplacementFile(at: path, owner: nil).write(text)
        } catch {
            throw KernelError(.write, subject: path, errno: error)
        }
    }
}
