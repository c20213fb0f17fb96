public import LinkModel
public import TrafficControl

extension SelectionFilter {
    /// A filter in front of those of several selectors: packets that none of them may choose pass
    /// without meeting all of them.
    ///
    /// It takes as long for a hundred selectors as for a few with as many addresses and ports. Nil if
    /// the filters behind it have to see every packet, or are few anyway.
    ///
    /// - Parameters:
    ///   - selectors: those of all conditions of the interface in this direction.
    ///   - headerLength: that of the link-layer header.
    public static func guarding(
        _ selectors: [TrafficSelector], _ direction: Direction,
        _ networkProtocol: Filter.NetworkProtocol, headerLength: Int
    ) -> SelectionFilter? {
        let family: AddressFamily
        switch networkProtocol {
        case .ipv4: family = .ipv4
        case .ipv6: family = .ipv6
        case .vlan, .providerVLAN: return nil
        }
        guard selectors.count > 1, selectors.allSatisfy(\.isSelective) else { return nil }
        let rules = TrafficSelector.joining(selectors).flatMap {
            ProgramSelection($0, direction).chosen(family)
        }
        let program = PacketProgram(noneOf: rules, in: .after(headerLength))
        return program.map { SelectionFilter(.program($0), isChosen: false) }
    }
}
