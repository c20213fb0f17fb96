import CLinux
public import SystemPackage

/// Finds the addresses of hosts by their names, as other programs do (`getaddrinfo(3)`).
public enum HostLookup {
    private static let most = 16

    /// The addresses of a host in the order in which to try them; at least one.
    ///
    /// - Throws: `Errno.noSuchFileOrDirectory` if there is no such host, `Errno.wouldBlock` if no
    ///   name server answers.
    public static func addresses(of host: String) throws(Errno) -> [IPAddress] {
        if let address = IPAddress(host) { return [address] }
        var found = [lc_endpoint](repeating: lc_endpoint(), count: most)
        let count = try checked(unsafe lc_look_up(host, &found, Int32(most)))
        guard count > 0 else { throw .noSuchFileOrDirectory }
        return found.prefix(Int(count)).map { Endpoint($0).address }
    }
}
