/// An optional part of the kernel, by the name of its module.
public enum KernelFeature: String, Sendable, Hashable, CaseIterable {
    case netem = "sch_netem"
    case tbf = "sch_tbf"
    case prio = "sch_prio"
    case htb = "sch_htb"
    case codel = "sch_codel"
    case fqCodel = "sch_fq_codel"
    case pie = "sch_pie"
    case clsact = "sch_ingress"
    case u32 = "cls_u32"
    case programs = "cls_bpf"
    case mirred = "act_mirred"
    case ifb = "ifb"

    /// The feature for a kind of qdisc.
    init?(qdiscKind: String) {
        // clsact is in the module of the older ingress qdisc.
        self.init(rawValue: qdiscKind == "clsact" ? "sch_ingress" : "sch_\(qdiscKind)")
    }

    /// The kernel configuration option that builds it.
    public var configurationOption: String {
        switch self {
        case .clsact: "CONFIG_NET_SCH_INGRESS"
        case .u32: "CONFIG_NET_CLS_U32"
        case .programs: "CONFIG_NET_CLS_BPF"
        case .mirred: "CONFIG_NET_ACT_MIRRED"
        case .ifb: "CONFIG_IFB"
        case .netem, .tbf, .prio, .htb, .codel, .fqCodel, .pie:
            "CONFIG_NET_" + rawValue.uppercased()
        }
    }

    /// Its purpose.
    public var purpose: String {
        switch self {
        case .netem: "delay, loss and bandwidth"
        case .tbf: "cutting super-packets"
        case .prio: "DNS delay"
        case .htb: "bandwidth in front of an AQM"
        case .codel: "queue management by codel"
        case .fqCodel: "queue management by fq_codel"
        case .pie: "queue management by pie"
        case .clsact: "reaching both directions of an interface"
        case .u32: "choosing packets"
        case .programs: "choosing packets by many addresses and ports at little cost"
        case .mirred: "sending packets through the conditioner"
        case .ifb: "conditioning without touching the interface's own queue"
        }
    }

    /// Whether every profile needs it.
    public var isEssential: Bool {
        switch self {
        case .netem, .tbf, .clsact, .u32, .mirred, .ifb: true
        case .programs, .prio, .htb, .codel, .fqCodel, .pie: false
        }
    }
}
