import CNetlink
public import LinuxKernel

extension Route {
    /// Sends what no other route matches to `gateway`. Equivalent to
    /// `ip route add default via GATEWAY dev NAME`.
    public static func addDefault(via gateway: IPAddress, on interface: Int32) -> NetlinkMessage {
        let builder = MessageBuilder(type: RTM_NEWROUTE, flags: Int(NLM_F_CREATE | NLM_F_EXCL))
        var header = rtmsg()
        header.rtm_family = gateway.family
        header.rtm_table = UInt8(RT_TABLE_MAIN.rawValue)
        header.rtm_protocol = UInt8(RTPROT_STATIC)
        header.rtm_type = UInt8(RTN_UNICAST)
        builder.append(header)
        builder.put(Int(RTA_GATEWAY.rawValue), bytes: gateway.bytes)
        builder.put(Int(RTA_OIF.rawValue), interface)
        return builder.finish()
    }
}
