import CNetlink
import LinkUnits
import LinuxKernel
public import Netlink

extension Qdisc {
    /// Creates the qdisc where there is none. Equivalent to `tc qdisc add`.
    public func add() -> NetlinkMessage {
        message(flags: NLM_F_CREATE | NLM_F_EXCL)
    }

    /// Creates it, or changes its parameters in place if one with its handle exists: queued packets
    /// stay. Equivalent to `tc qdisc replace`.
    public func replace() -> NetlinkMessage {
        message(flags: NLM_F_CREATE | NLM_F_REPLACE)
    }

    /// Deletes it and all below it. Equivalent to `tc qdisc delete`.
    public func delete() -> NetlinkMessage {
        NetlinkMessage(RTM_DELQDISC, header)
    }

    /// Asks for the one at `parent` of `interface`.
    ///
    /// Uses `NLM_F_ECHO`: without it most kernels send the reply only to event listeners.
    public static func get(at parent: QdiscHandle, on interface: Int32) -> NetlinkMessage {
        NetlinkMessage(
            RTM_GETQDISC, flags: NLM_F_ECHO, tcmsg(interface: interface, parent: parent))
    }

    /// Asks for all qdiscs of the namespace. Equivalent to `tc -s qdisc show`.
    public static func list() -> NetlinkMessage {
        NetlinkMessage(RTM_GETQDISC, tcmsg())
    }

    /// The equivalent tc command of `add`.
    public var tcAddText: String { tcText("add") }
    /// The equivalent tc command of `replace`.
    public var tcReplaceText: String { tcText("replace") }
    /// The equivalent tc command of `delete`.
    public var tcDeleteText: String { "tc qdisc del dev \(interface.shellWord) \(parent.tcParent)" }

    private func tcText(_ verb: String) -> String {
        guard parent != .clsact else { return "tc qdisc \(verb) dev \(interface.shellWord) clsact" }
        return
            "tc qdisc \(verb) dev \(interface.shellWord) \(parent.tcParent) handle \(handle) \(kind.tcText)"
    }

    private var header: tcmsg {
        tcmsg(interface: interface.index, handle: handle, parent: parent)
    }

    private func message(flags: Int32) -> NetlinkMessage {
        NetlinkMessage(RTM_NEWQDISC, flags: flags, header) { builder in
            builder.put(Int(TCA_KIND), kind.name)
            builder.nest(Int(TCA_OPTIONS)) { kind.encodeOptions(into: $0) }
            if parent == .root {
                // Makes the kernel estimate the rate: sampled every 250 ms, averaged over a second.
                builder.put(Int(TCA_RATE), tc_estimator(interval: -2, ewma_log: 2))
            }
        }
    }
}

extension Qdisc.Kind {
    /// Writes the content of `TCA_OPTIONS`.
    fileprivate func encodeOptions(into builder: borrowing MessageBuilder) {
        switch self {
        case .netem(let netem): netem.encode(into: builder)
        case .tokenBucket(let bucket): bucket.encode(into: builder)
        case .priority(let bands):
            var options = tc_prio_qopt()
            options.bands = Int32(bands)
            builder.append(options)
        case .hierarchicalTokenBucket(let defaultClass):
            var options = tc_htb_glob()
            options.version = 3
            options.rate2quantum = 10
            options.defcls = UInt32(defaultClass)
            builder.put(Int(TCA_HTB_INIT), options)
        case .activeQueue(let queue):
            builder.put(queue.algorithm.limitAttribute, queue.limit)
            builder.put(queue.algorithm.markAttribute, UInt32(queue.marks ? 1 : 0))
        case .classifierActions, .ingress, .other: break
        }
    }

    /// Reads the kind and options from a message.
    init(name: String, attributes: Attributes) {
        let options = Int(TCA_OPTIONS)
        switch name {
        case "netem":
            guard let (fixed, rest) = attributes.nested(options, behind: tc_netem_qopt.self),
                let netem = Netem(options: fixed, attributes: rest)
            else { break }
            self = .netem(netem)
            return
        case "tbf":
            guard let bucket = attributes.nested(options).flatMap(TokenBucket.init) else { break }
            self = .tokenBucket(bucket)
            return
        case "prio":
            guard let fixed = attributes.value(options, as: tc_prio_qopt.self) else { break }
            self = .priority(bands: UInt16(clamping: fixed.bands))
            return
        case "htb":
            guard
                let fixed = attributes.nested(options)?
                    .value(Int(TCA_HTB_INIT), as: tc_htb_glob.self)
            else { break }
            self = .hierarchicalTokenBucket(defaultClass: UInt16(clamping: fixed.defcls))
            return
        case "clsact":
            self = .classifierActions
            return
        case "ingress":
            self = .ingress
            return
        default:
            guard let algorithm = ActiveQueue.Algorithm(rawValue: name),
                let nest = attributes.nested(options),
                let limit = nest.value(algorithm.limitAttribute, as: UInt32.self)
            else { break }
            let marks = nest.value(algorithm.markAttribute, as: UInt32.self) ?? 0
            self = .activeQueue(
                ActiveQueue(algorithm: algorithm, limit: limit, marks: marks != 0))
            return
        }
        self = .other(name)
    }
}

extension ActiveQueue.Algorithm {
    fileprivate var limitAttribute: Int {
        switch self {
        case .codel: Int(TCA_CODEL_LIMIT)
        case .fqCodel: Int(TCA_FQ_CODEL_LIMIT)
        case .pie: Int(TCA_PIE_LIMIT)
        }
    }

    fileprivate var markAttribute: Int {
        switch self {
        case .codel: Int(TCA_CODEL_ECN)
        case .fqCodel: Int(TCA_FQ_CODEL_ECN)
        case .pie: Int(TCA_PIE_ECN)
        }
    }
}

extension TokenBucket {
    fileprivate func encode(into builder: borrowing MessageBuilder) {
        let (field, wide) = KernelEncoding.rate(rate)
        var options = tc_tbf_qopt()
        options.rate.rate = field
        options.rate.linklayer = UInt8(TC_LINKLAYER_ETHERNET.rawValue)
        options.limit = UInt32(clamping: limit.bytes)
        builder.put(Int(TCA_TBF_PARMS), options)
        builder.put(Int(TCA_TBF_BURST), UInt32(clamping: burst.bytes))
        if let wide { builder.put(Int(TCA_TBF_RATE64), wide) }
    }

    fileprivate init?(_ attributes: Attributes) {
        guard let options = attributes.value(Int(TCA_TBF_PARMS), as: tc_tbf_qopt.self) else {
            return nil
        }
        let wide = attributes.value(Int(TCA_TBF_RATE64), as: UInt64.self)
        guard
            let rate = KernelEncoding.bandwidth(
                bytesPerSecond: wide ?? UInt64(options.rate.rate))
        else { return nil }
        // The kernel stores the burst as a time, so its size is inexact.
        let time = KernelEncoding.duration(ticks: options.buffer)
        self.init(
            rate: rate, burst: rate.byteCount(in: time),
            limit: ByteCount(bytes: UInt64(options.limit)))
    }
}
