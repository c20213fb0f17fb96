import CNetlink
public import Netlink
public import SystemPackage

/// An eBPF program as a filter, which decides on all packets of a hook, whatever their protocol.
public struct ProgramFilter: Sendable, Hashable {
    /// The interface it is attached to.
    public var interface: Interface
    /// The hook it belongs to.
    public var parent: QdiscHandle
    /// Lower preferences match first.
    public var preference: UInt16
    /// The program; the filter keeps it alive.
    public var program: FileDescriptor
    /// The name that `tc filter show` prints.
    public var name: String

    /// Makes a filter.
    public init(
        interface: Interface, parent: QdiscHandle, preference: UInt16, program: FileDescriptor,
        name: String
    ) {
        self.interface = interface
        self.parent = parent
        self.preference = preference
        self.program = program
        self.name = name
    }

    /// Adds the filter. Equivalent to `tc filter add … protocol all bpf direct-action`.
    public func add() -> NetlinkMessage {
        NetlinkMessage(
            RTM_NEWTFILTER, flags: NLM_F_CREATE | NLM_F_EXCL,
            Filter.header(interface.index, parent, preference, UInt16(ETH_P_ALL))
        ) { builder in
            builder.put(Int(TCA_KIND), FilterState.programKind)
            builder.nest(Int(TCA_OPTIONS)) { builder in
                builder.put(Int(TCA_BPF_FD), UInt32(bitPattern: program.rawValue))
                builder.put(Int(TCA_BPF_NAME), name)
                builder.put(Int(TCA_BPF_FLAGS), UInt32(TCA_BPF_FLAG_ACT_DIRECT))
            }
        }
    }
}
