import LinuxKernel
import Middleboxes

/// What stands in the middle of a link, as its name server for questions by TCP sees it.
struct NameDoor: Sendable {
    /// The name server that the app asked by a connection with this end, as the server sees it.
    let server: @Sendable (Endpoint) -> Endpoint?
    /// Whether addresses of IPv6 lead nowhere, so that such names count as without one.
    let ignoresIPv6: Bool
    /// What the middle answers to a question for a name; nil: nothing.
    let answer: @Sendable (_ name: String) -> ResolverAnswer?
    /// Whether names without an IPv6 address get one of the NAT64's.
    let isSynthesizing: @Sendable () -> Bool
    /// Counts such names.
    let countSynthesized: @Sendable (Int) -> Void
}
