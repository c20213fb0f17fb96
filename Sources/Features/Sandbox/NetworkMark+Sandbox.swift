public import NetworkPath
public import Recording

extension NetworkMark {
    /// What an app in a sandbox sees an interface with this mark as.
    public var kindInSandbox: NetworkInterface.Kind { kind(insteadOf: .wired) }
}

extension PathState {
    /// What an app in a sandbox sees of an interface with this mark.
    public init(_ mark: NetworkMark, isPresent: Bool, isUp: Bool = true, isPreferred: Bool) {
        self.init(
            isPresent: isPresent, isUp: isUp,
            isExpensive: mark.makesExpensive(mark.kindInSandbox),
            isConstrained: mark.makesConstrained, isPreferred: isPreferred)
    }
}
