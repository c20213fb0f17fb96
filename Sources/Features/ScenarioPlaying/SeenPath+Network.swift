public import NetworkPath
public import Scenarios

extension SeenPath {
    /// Makes the view of an app with this path.
    public init(_ path: NetworkPath) {
        self.init(
            status: path.status == .satisfied ? .satisfied : .unsatisfied,
            isExpensive: path.isExpensive, isConstrained: path.isConstrained,
            interface: path.interfacesInUse.first?.name)
    }
}
