import Conditioner
public import EngineService
import LinkModel
import TrafficControl

extension TrafficReader {
    /// Reads the words of `TrafficSelector`.
    public static let ofSelectors = TrafficReader { word in
        TrafficSelector(text: word).map { DetouredTraffic($0) }
    }
}

extension DetouredTraffic {
    /// What a selector chooses.
    init(_ selector: TrafficSelector) {
        func rules(_ direction: Direction) -> [String] {
            NftSelection(selector, direction).rules(chosen: Self.verdict)
        }
        self.init(
            selectors: selector.commandLine, isSelective: selector.isSelective, up: rules(.up),
            down: rules(.down),
            filters: FilterChoice(
                up: Self.filters(selector, .up), down: Self.filters(selector, .down)),
            word: selector.text)
    }

    private static func filters(
        _ selector: TrafficSelector, _ direction: Direction
    ) -> [FilterChoice.Part] {
        let selection = U32Selection(selector, direction)
        return Filter.NetworkProtocol.allCases.map { networkProtocol in
            let discovery = networkProtocol == .ipv6 ? selection.neighborDiscovery : []
            return FilterChoice.Part(
                networkProtocol, discovery + selection.rules(for: networkProtocol))
        }
    }
}
