/// The layouts of the messages that linkcond sends, from the kernel's headers.
///
/// Written down a second time on purpose, so that the goldens check what the modules write.
public enum MessageLayouts {
    private typealias Field = ByteLayout.Field
    private typealias Attribute = ByteLayout.Attribute

    /// By message type.
    public static let all: [Int: ByteLayout.Attribute] = [
        16: Attribute("RTM_NEWLINK", link), 17: Attribute("RTM_DELLINK", link),
        18: Attribute("RTM_GETLINK", link), 26: Attribute("RTM_GETROUTE", route),
        36: Attribute("RTM_NEWQDISC", traffic), 37: Attribute("RTM_DELQDISC", traffic),
        38: Attribute("RTM_GETQDISC", traffic), 40: Attribute("RTM_NEWTCLASS", traffic),
        42: Attribute("RTM_GETTCLASS", traffic), 44: Attribute("RTM_NEWTFILTER", traffic),
        45: Attribute("RTM_DELTFILTER", traffic), 46: Attribute("RTM_GETTFILTER", traffic),
    ]

    // MARK: Links and routes

    private static let ifinfomsg = [
        Field("ifi_family", 1), Field("(padding)", 1), Field("ifi_type", 2),
        Field("ifi_index", 4), Field("ifi_flags", 4), Field("ifi_change", 4),
    ]

    private static let link = ByteLayout.fields(
        ifinfomsg,
        then: .nest([
            3: Attribute("IFLA_IFNAME", .text),
            18: Attribute(
                "IFLA_LINKINFO",
                .nest([
                    1: Attribute("IFLA_INFO_KIND", .text),
                    2: Attribute(
                        "IFLA_INFO_DATA",
                        .ofKind([
                            "veth": .nest([1: Attribute("VETH_INFO_PEER", peer)])
                        ])),
                ])),
            20: Attribute("IFLA_IFALIAS", .text),
            26: Attribute(
                "IFLA_AF_SPEC",
                .nest([
                    10: Attribute(
                        "AF_INET6", .nest([8: Attribute("IFLA_INET6_ADDR_GEN_MODE", .number)]))
                ])),
            27: Attribute("IFLA_GROUP", .number),
            29: Attribute("IFLA_EXT_MASK", .number),
        ]))

    private static let peer = ByteLayout.fields(
        ifinfomsg, then: .nest([3: Attribute("IFLA_IFNAME", .text)]))

    private static let route = ByteLayout.fields(
        [
            Field("rtm_family", 1), Field("rtm_dst_len", 1), Field("rtm_src_len", 1),
            Field("rtm_tos", 1), Field("rtm_table", 1), Field("rtm_protocol", 1),
            Field("rtm_scope", 1), Field("rtm_type", 1), Field("rtm_flags", 4),
        ],
        then: .nest([
            1: Attribute("RTA_DST", .bytes), 2: Attribute("RTA_SRC", .bytes),
            3: Attribute("RTA_IIF", .number),
        ]))

    // MARK: Traffic control

    private static let traffic = ByteLayout.fields(
        [
            Field("tcm_family", 1), Field("(padding)", 3), Field("tcm_ifindex", 4),
            Field("tcm_handle", 4), Field("tcm_parent", 4), Field("tcm_info", 4),
        ],
        then: .nest([
            1: Attribute("TCA_KIND", .text),
            2: Attribute(
                "TCA_OPTIONS",
                .ofKind([
                    "netem": netem, "tbf": tbf, "prio": prio, "htb": htb, "u32": u32,
                    "codel": .nest([
                        2: Attribute("TCA_CODEL_LIMIT", .number),
                        4: Attribute("TCA_CODEL_ECN", .number),
                    ]),
                    "fq_codel": .nest([
                        2: Attribute("TCA_FQ_CODEL_LIMIT", .number),
                        4: Attribute("TCA_FQ_CODEL_ECN", .number),
                    ]),
                    "pie": .nest([
                        2: Attribute("TCA_PIE_LIMIT", .number),
                        6: Attribute("TCA_PIE_ECN", .number),
                    ]),
                ])),
            5: Attribute("TCA_RATE", .fields([Field("interval", 1), Field("ewma_log", 1)])),
        ]))

    private static let netem = ByteLayout.fields(
        [
            Field("latency", 4), Field("limit", 4), Field("loss", 4), Field("gap", 4),
            Field("duplicate", 4), Field("jitter", 4),
        ],
        then: .nest([
            1: Attribute(
                "TCA_NETEM_CORR",
                .fields([Field("delay_corr", 4), Field("loss_corr", 4), Field("dup_corr", 4)])),
            2: Attribute("TCA_NETEM_DELAY_DIST", .table),
            3: Attribute(
                "TCA_NETEM_REORDER", .fields([Field("probability", 4), Field("correlation", 4)])),
            4: Attribute(
                "TCA_NETEM_CORRUPT", .fields([Field("probability", 4), Field("correlation", 4)])),
            5: Attribute(
                "TCA_NETEM_LOSS",
                .nest([
                    2: Attribute(
                        "NETEM_LOSS_GE",
                        .fields([Field("p", 4), Field("r", 4), Field("h", 4), Field("k1", 4)]))
                ])),
            6: Attribute(
                "TCA_NETEM_RATE",
                .fields([
                    Field("rate", 4), Field("packet_overhead", 4), Field("cell_size", 4),
                    Field("cell_overhead", 4),
                ])),
            8: Attribute("TCA_NETEM_RATE64", .number),
            10: Attribute("TCA_NETEM_LATENCY64", .number),
            11: Attribute("TCA_NETEM_JITTER64", .number),
            14: Attribute("TCA_NETEM_PRNG_SEED", .number),
        ]))

    private static func ratespec(_ name: String) -> [Field] {
        [
            Field("\(name).cell_log", 1), Field("\(name).linklayer", 1),
            Field("\(name).overhead", 2), Field("\(name).cell_align", 2),
            Field("\(name).mpu", 2), Field("\(name).rate", 4),
        ]
    }

    private static let tbf = ByteLayout.nest([
        1: Attribute(
            "TCA_TBF_PARMS",
            .fields(
                ratespec("rate") + ratespec("peakrate")
                    + [Field("limit", 4), Field("buffer", 4), Field("mtu", 4)])),
        4: Attribute("TCA_TBF_RATE64", .number),
        6: Attribute("TCA_TBF_BURST", .number),
    ])

    private static let prio = ByteLayout.fields([Field("bands", 4)], then: .bytes)

    private static let htb = ByteLayout.nest([
        1: Attribute(
            "TCA_HTB_PARMS",
            .fields(
                ratespec("rate") + ratespec("ceil")
                    + [
                        Field("buffer", 4), Field("cbuffer", 4), Field("quantum", 4),
                        Field("level", 4), Field("prio", 4),
                    ])),
        2: Attribute(
            "TCA_HTB_INIT",
            .fields([
                Field("version", 4), Field("rate2quantum", 4), Field("defcls", 4),
                Field("debug", 4), Field("direct_pkts", 4),
            ])),
        6: Attribute("TCA_HTB_RATE64", .number),
        7: Attribute("TCA_HTB_CEIL64", .number),
    ])

    private static let u32 = ByteLayout.nest([
        1: Attribute("TCA_U32_CLASSID", .number),
        5: Attribute(
            "TCA_U32_SEL",
            .fields(
                [
                    Field("flags", 1), Field("offshift", 1), Field("nkeys", 1),
                    Field("(padding)", 1), Field("offmask", 2), Field("off", 2),
                    Field("offoff", 2), Field("hoff", 2), Field("hmask", 4),
                ],
                then: .repeated([
                    Field("key.mask", 4, isNetworkOrder: true),
                    Field("key.val", 4, isNetworkOrder: true), Field("key.off", 4),
                    Field("key.offmask", 4),
                ]))),
        7: Attribute(
            "TCA_U32_ACT",
            .array(
                .nest([
                    1: Attribute("TCA_ACT_KIND", .text),
                    2: Attribute(
                        "TCA_ACT_OPTIONS",
                        .nest([
                            2: Attribute(
                                "TCA_MIRRED_PARMS",
                                .fields([
                                    Field("index", 4), Field("capab", 4), Field("action", 4),
                                    Field("refcnt", 4), Field("bindcnt", 4),
                                    Field("eaction", 4), Field("ifindex", 4),
                                ]))
                        ])),
                    6: Attribute("TCA_ACT_COOKIE", .bytes),
                ]))),
    ])
}
