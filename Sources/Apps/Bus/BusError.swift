/// Why a bus operation failed.
public struct BusError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was attempted, such as "connect to the system bus".
    public let attempt: String
    /// The error name from the peer; nil for a local error.
    public let name: String?
    /// The reason.
    public let reason: String

    /// Makes an error.
    public init(attempt: String, name: String? = nil, reason: String) {
        self.attempt = attempt
        self.name = name
        self.reason = reason
    }

    static let malformed = BusError(attempt: "read a message", reason: "it is malformed")

    /// Whether the operation failed for lack of privilege.
    public var isMissingPrivilege: Bool {
        name == "org.freedesktop.DBus.Error.AccessDenied"
            || name?.hasSuffix(".PermissionDenied") == true
    }

    /// One sentence.
    public var description: String { "cannot \(attempt): \(reason)" }
}
