public import DataPlane

extension TimeLimit {
    /// A limit with its own watcher: `duration` after `now`, in seconds since 1970, or the exit of
    /// a process, whichever comes first.
    public init(after duration: Duration?, process: Int32?, now: Int64) {
        self.init(
            until: duration.map { now + Int64(($0 / .seconds(1)).rounded(.up)) }, process: process)
    }
}
