import CNetlink
import LinuxKernel

extension Link {
    /// Has the kernel cut those super-packets that these interfaces of the calling thread's namespace
    /// are to send and that a packet socket at the other end could not describe: those in tunnels, of
    /// SCTP, and before Linux 6.2 of datagrams (`UDP_SEGMENT`). They would be lost, or arrive as
    /// something else. Likewise it finishes checksums of SCTP, which are of another kind.
    ///
    /// Equivalent to `ethtool -K NAME tx-udp_tnl-segmentation off ...`. Kernels before 5.7 cannot be
    /// asked in this way, and nothing happens.
    public static func cutForPacketSockets(sentBy interfaces: [Int32]) {
        guard let session = try? NetlinkSession(.generic),
            let family = try? session.genericFamily(named: ETHTOOL_GENL_NAME)
        else { return }
        _ = try? session.execute(
            interfaces.map { family.turnOff(indescribableOffloads, of: $0) })
    }

    private static let indescribableOffloads =
        [
            "gre", "gre-csum", "ipxip4", "ipxip6", "udp_tnl", "udp_tnl-csum", "sctp",
        ].map { "tx-\($0)-segmentation" } + ["tx-gso-list", "tx-checksum-sctp"]
        + (KernelRelease.running.carriesDatagramTrains ? [] : ["tx-udp-segmentation"])
}

extension GenericFamily {
    /// Turns off features of an interface. Only for the family of ethtool.
    fileprivate func turnOff(_ features: [String], of interface: Int32) -> NetlinkMessage {
        message(Int(ETHTOOL_MSG_FEATURES_SET)) { builder in
            builder.nest(Int(ETHTOOL_A_FEATURES_HEADER)) { builder in
                builder.put(Int(ETHTOOL_A_HEADER_DEV_INDEX), interface)
                builder.put(Int(ETHTOOL_A_HEADER_FLAGS), UInt32(ETHTOOL_FLAG_OMIT_REPLY))
            }
            // Without a value, a bit that is named is to be off.
            builder.nest(Int(ETHTOOL_A_FEATURES_WANTED)) { builder in
                builder.nest(Int(ETHTOOL_A_BITSET_BITS)) { builder in
                    for feature in features {
                        builder.nest(Int(ETHTOOL_A_BITSET_BITS_BIT)) { builder in
                            builder.put(Int(ETHTOOL_A_BITSET_BIT_NAME), feature)
                        }
                    }
                }
            }
        }
    }
}
