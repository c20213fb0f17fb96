import CNetlink
import LinuxKernel

extension Link {
    /// Has the kernel cut the super-packets of datagrams (`UDP_SEGMENT`) that these interfaces of the
    /// calling thread's namespace are to send, where a packet socket at the other end would lose them.
    ///
    /// Equivalent to `ethtool -K NAME tx-udp-segmentation off`. Kernels before 5.7 cannot be asked in
    /// this way, and nothing happens.
    public static func cutDatagrams(sentBy interfaces: [Int32]) {
        guard !KernelRelease.running.carriesDatagramTrains,
            let session = try? NetlinkSession(.generic),
            let found = try? session.get([GenericFamily.find(ETHTOOL_GENL_NAME)]),
            let family = found.first?.flatMap({ GenericFamily($0) })
        else { return }
        _ = try? session.execute(
            interfaces.map { family.turnOff("tx-udp-segmentation", of: $0) })
    }
}

extension GenericFamily {
    /// Turns off a feature of an interface. Only for the family of ethtool.
    fileprivate func turnOff(_ feature: String, of interface: Int32) -> NetlinkMessage {
        message(Int(ETHTOOL_MSG_FEATURES_SET)) { builder in
            builder.nest(Int(ETHTOOL_A_FEATURES_HEADER)) { builder in
                builder.put(Int(ETHTOOL_A_HEADER_DEV_INDEX), interface)
                builder.put(Int(ETHTOOL_A_HEADER_FLAGS), UInt32(ETHTOOL_FLAG_OMIT_REPLY))
            }
            // Without a value, a bit that is named is to be off.
            builder.nest(Int(ETHTOOL_A_FEATURES_WANTED)) { builder in
                builder.nest(Int(ETHTOOL_A_BITSET_BITS)) { builder in
                    builder.nest(Int(ETHTOOL_A_BITSET_BITS_BIT)) { builder in
                        builder.put(Int(ETHTOOL_A_BITSET_BIT_NAME), feature)
                    }
                }
            }
        }
    }
}
