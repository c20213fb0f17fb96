import SystemPackage

/// Finds the addresses of hosts by their names, as other programs do.
public enum HostLookup {
    /// The addresses of a host in the order in which to try them: the preferred one, and the first of
    /// IPv4; none if there is no such host, or no name server answers.
    ///
    /// By the program `getent`, which comes with the C library: in a statically linked program
    /// getaddrinfo(3) loads modules of the system's C library, and can crash in them.
    public static func addresses(of host: String) throws(KernelError) -> [IPAddress] {
        if let address = IPAddress(host) { return [address] }
        guard let program = HelperProgram.path(of: "getent") else {
            throw KernelError(starting: "getent", Errno.noSuchFileOrDirectory)
        }
        var found: [IPAddress] = []
        for database in ["ahosts", "ahostsv4"] {
            let result = try HelperProgram.run(program, [database, "--", host], input: "")
            // An address and the kind of socket that it serves.
            guard result.exitCode == 0, let word = result.message.split(separator: " ").first,
                let address = IPAddress(String(word)), !found.contains(address)
            else { continue }
            found.append(address)
        }
        return found
    }

    /// All addresses of a host that this one can reach, of IPv4 and IPv6, in no order that means
    /// anything; none if there is no such host, or no name server answers.
    public static func allAddresses(of host: String) throws(KernelError) -> [IPAddress] {
        guard let program = HelperProgram.path(of: "getent") else {
            throw KernelError(starting: "getent", Errno.noSuchFileOrDirectory)
        }
        let result = try HelperProgram.run(program, ["ahosts", "--", host], input: "")
        guard result.exitCode == 0 else { return [] }
        var found: [IPAddress] = []
        for line in result.text.split(whereSeparator: \.isNewline) {
            // An address, perhaps with a zone, once for each kind of socket.
            guard let word = line.split(separator: " ").first,
                let address = IPAddress(String(word.prefix { $0 != "%" })),
                !found.contains(address)
            else { continue }
            found.append(address)
        }
        return found
    }
}
