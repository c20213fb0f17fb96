import LinuxKernel

/// The number by which the kernel knows a user.
public struct UserID: Sendable, Hashable, CustomStringConvertible {
    /// The number.
    public let number: UInt32

    /// Parses the value of `option`: a number, or a name in `/etc/passwd`.
    public init(_ text: String, option: String) throws(SelectorError) {
        guard !text.isEmpty, text.utf8.allSatisfy({ 48...57 ~= $0 }) else {
            guard !text.isEmpty, let account = UserAccount.named(text) else {
                throw SelectorError(
                    option, text.isEmpty ? "\"\"" : text,
                    "this host has no such user (/etc/passwd); of a user from elsewhere, such as "
                        + "LDAP, give the number, which id -u NAME prints")
            }
            number = account.identity.user
            return
        }
        // The kernel means nobody at all by the last number.
        guard let number = UInt32(text), number != .max else {
            throw SelectorError(option, text, "numbers of users go from 0 to \(UInt32.max - 1)")
        }
        self.number = number
    }

    /// The number in decimal.
    public var description: String { "\(number)" }
}
