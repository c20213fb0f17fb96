/// The captive portal in the middle of a link, for whoever looks at it or opens it, on any thread.
struct PortalDoor: Sendable {
    /// Whether it holds the app back.
    let isClosed: @Sendable () -> Bool
    /// Opens it, since somebody has clicked on its page.
    let click: @Sendable () -> Void
}
