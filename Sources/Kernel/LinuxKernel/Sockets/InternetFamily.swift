/// The IP version of a socket.
public enum InternetFamily: Int32, Sendable, Hashable, Codable, CaseIterable {
    case ipv4 = 4
    case ipv6 = 6
}
