import CNetlink
public import LinkUnits
import LinuxKernel
public import Netlink

/// A class of the hierarchical token bucket: its packets share a rate.
public struct TrafficClass: Sendable, Hashable {
    /// The interface it is attached to.
    public var interface: Interface
    /// Its handle; the major number is that of its qdisc.
    public var handle: QdiscHandle
    /// The guaranteed and the largest rate, which are equal.
    public var rate: Bandwidth
    /// The most bytes that pass at once.
    public var burst: ByteCount

    /// Makes a class.
    public init(interface: Interface, handle: QdiscHandle, rate: Bandwidth, burst: ByteCount) {
        self.interface = interface
        self.handle = handle
        self.rate = rate
        self.burst = burst
    }

    /// Creates the class or changes it in place. Equivalent to `tc class replace … htb`.
    public func replace() -> NetlinkMessage {
        let (field, wide) = KernelEncoding.rate(rate)
        var specification = tc_ratespec()
        specification.rate = field
        specification.linklayer = UInt8(TC_LINKLAYER_ETHERNET.rawValue)
        var options = tc_htb_opt()
        options.rate = specification
        options.ceil = specification
        options.buffer = KernelEncoding.ticks(rate.serializationDelay(of: burst))
        options.cbuffer = options.buffer
        // Irrelevant for a single class, but the kernel warns about the value it would compute
        // itself.
        options.quantum = UInt32(clamping: burst.bytes)

        return NetlinkMessage(RTM_NEWTCLASS, flags: NLM_F_CREATE | NLM_F_REPLACE, header) {
            builder in
            builder.put(Int(TCA_KIND), "htb")
            builder.nest(Int(TCA_OPTIONS)) { builder in
                builder.put(Int(TCA_HTB_PARMS), options)
                if let wide {
                    builder.put(Int(TCA_HTB_RATE64), wide)
                    builder.put(Int(TCA_HTB_CEIL64), wide)
                }
            }
        }
    }

    /// The equivalent tc command of `replace`.
    public var tcText: String {
        "tc class replace dev \(interface.shellWord) parent \(QdiscHandle(major: handle.major)) "
            + "classid \(handle) htb rate \(rate.keptTcText) burst \(burst.bytes) "
            + "cburst \(burst.bytes) quantum \(burst.bytes)"
    }

    /// Asks for all classes of an interface. Equivalent to `tc class show dev NAME`.
    public static func list(interface: Int32) -> NetlinkMessage {
        NetlinkMessage(RTM_GETTCLASS, tcmsg(interface: interface))
    }

    private var header: tcmsg {
        tcmsg(
            interface: interface.index, handle: handle, parent: QdiscHandle(major: handle.major))
    }

    /// Reads an `RTM_NEWTCLASS` message of an htb class; nil for any other.
    public init?(_ message: NetlinkMessage) {
        guard message.type == UInt16(RTM_NEWTCLASS),
            let (fixed, attributes) = message.parse(tcmsg.self),
            attributes.string(Int(TCA_KIND)) == "htb",
            let nest = attributes.nested(Int(TCA_OPTIONS)),
            let options = nest.value(Int(TCA_HTB_PARMS), as: tc_htb_opt.self),
            let rate = KernelEncoding.bandwidth(
                bytesPerSecond: nest.value(Int(TCA_HTB_RATE64), as: UInt64.self)
                    ?? UInt64(options.rate.rate))
        else { return nil }
        interface = Interface(index: fixed.tcm_ifindex, name: "")
        handle = QdiscHandle(rawValue: fixed.tcm_handle)
        self.rate = rate
        burst = rate.byteCount(in: KernelEncoding.duration(ticks: options.buffer))
    }
}
