public import LinkModel
public import TrafficControl

/// One of the filters of a selector.
public struct SelectionFilter: Sendable, Hashable {
    /// The packets.
    public var match: Filter.Match
    /// Whether the packets are selected; otherwise they pass, and meet no further filter.
    public var isChosen: Bool

    /// Makes a filter.
    public init(_ match: Filter.Match, isChosen: Bool) {
        self.match = match
        self.isChosen = isChosen
    }

    /// A u32 filter.
    public init(_ rule: U32Rule) {
        self.init(.words(rule.matches), isChosen: rule.isChosen)
    }
}

/// How a selector becomes filters, which depends on the kernel and on the interface.
public enum FilterForm: Sendable, Hashable {
    /// u32 filters, which every kernel has, one for each combination of values.
    case words
    /// Programs where u32 needs many filters, for packets whose IP header follows a link-layer
    /// header of this length.
    case programs(headerLength: Int)

    /// So few u32 filters cost about as much as a program, and can be read.
    static let fewWords = 16
}

extension TrafficSelector {
    /// Whether it needs so many u32 filters that programs are preferred.
    public var prefersPrograms: Bool {
        let terms = [included] + exceptions
        return terms.reduce(0) { $0 + $1.wordFilters } > FilterForm.fewWords
    }

    /// The filters for the packets of one protocol in one direction, in the order in which they are
    /// to be added.
    ///
    /// - Parameter sparesDiscovery: whether they also let neighbour discovery pass; with a VLAN tag
    ///   they always do.
    public func filters(
        _ direction: Direction, _ networkProtocol: Filter.NetworkProtocol, _ form: FilterForm,
        sparesDiscovery: Bool = false
    ) -> [SelectionFilter] {
        if case .programs(let headerLength) = form, prefersPrograms,
            let programs = programs(
                direction, networkProtocol, headerLength: headerLength)
        {
            return programs
        }
        let selection = U32Selection(self, direction)
        let discovery =
            sparesDiscovery && networkProtocol == .ipv6 ? selection.neighborDiscovery : []
        return (discovery + selection.rules(for: networkProtocol)).map(SelectionFilter.init)
    }

    /// Nil if a program would be too long.
    private func programs(
        _ direction: Direction, _ networkProtocol: Filter.NetworkProtocol, headerLength: Int
    ) -> [SelectionFilter]? {
        let selection = ProgramSelection(self, direction)
        return SelectionFilter.programs(
            chosen: selection.chosen, spared: selection.spared, networkProtocol,
            headerLength: headerLength)
    }
}

extension SelectionFilter {
    /// Filters that match by two programs; nil if one would be too long.
    ///
    /// - Parameters:
    ///   - chosen: what is chosen of a family, unless it is spared.
    ///   - spared: what passes.
    public static func programs(
        chosen: @escaping (AddressFamily) -> [PacketRule],
        spared: @escaping (AddressFamily) -> [PacketRule],
        _ networkProtocol: Filter.NetworkProtocol, headerLength: Int
    ) -> [SelectionFilter]? {
        let header = networkProtocol == .vlan ? PacketHeader.tagged : .after(headerLength)
        // The kernel runs the program that was added last first.
        var filters: [SelectionFilter] = []
        for (rules, isChosen) in [(chosen, true), (spared, false)] {
            for family in AddressFamily.all(in: networkProtocol) {
                var rules = rules(family)
                guard !rules.isEmpty else { continue }
                if networkProtocol == .vlan {
                    // Any protocol may follow a tag, so the IP version must be compared first.
                    rules = rules.map { PacketRule([.version(family)] + $0.tests) }
                }
                guard let program = PacketProgram(anyOf: rules, in: header) else { return nil }
                filters.append(SelectionFilter(.program(program), isChosen: isChosen))
            }
        }
        return filters.contains(where: \.isChosen) ? filters : []
    }
}

extension AddressFamily {
    /// Those of the packets that filters with this protocol match.
    fileprivate static func all(in networkProtocol: Filter.NetworkProtocol) -> [AddressFamily] {
        switch networkProtocol {
        case .ipv4: [.ipv4]
        case .ipv6: [.ipv6]
        case .vlan, .providerVLAN: allCases
        }
    }
}

extension TrafficMatch {
    private static let countless = 1_000_000

    /// About how many u32 filters it takes for one protocol: all combinations of its values.
    fileprivate var wordFilters: Int {
        let blocks = { (ranges: [PortRange]) in
            ranges.isEmpty ? 1 : ranges.reduce(0) { $0 + $1.blocks.count }
        }
        let factors = [
            max(1, to.count), max(1, from.count), possibleProtocols?.count ?? 1,
            blocks(ports) * (ports.isEmpty ? 1 : 2), blocks(toPorts), blocks(fromPorts), 2,
        ]
        return factors.reduce(1) { product, factor in
            let (result, overflows) = product.multipliedReportingOverflow(by: factor)
            return overflows ? Self.countless : min(result, Self.countless)
        }
    }
}
