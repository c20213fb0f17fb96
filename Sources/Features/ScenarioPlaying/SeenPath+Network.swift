public import NetworkPath
public import Scenarios

extension SeenPath {
    /// What an app sees that has this path.
    public init(_ path: NetworkPath) {
        self.init(
            status: path.status == .satisfied ? .satisfied : .unsatisfied,
            isExpensive: path.isExpensive, isConstrained: path.isConstrained,
            interface: path.interfacesInUse.first?.name)
    }
}
