public import NetworkPath
public import Recording

extension NetworkMark {
    /// The kind of an interface with this mark, as seen by an app in a sandbox.
    public var kindInSandbox: NetworkInterface.Kind { kind(insteadOf: .wired) }
}

extension PathState {
    /// The state of an interface with this mark, as seen by an app in a sandbox.
    public init(_ mark: NetworkMark, isPresent: Bool, isUp: Bool = true, isPreferred: Bool) {
        self.init(
            isPresent: isPresent, isUp: isUp,
            isExpensive: mark.makesExpensive(mark.kindInSandbox),
            isConstrained: mark.makesConstrained, isPreferred: isPreferred)
    }
}
