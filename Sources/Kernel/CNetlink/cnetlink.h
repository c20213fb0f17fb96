// libnl-3 for messages, attributes and the socket; kernel headers for the layouts.
#ifndef LINKCOND_CNETLINK_H
#define LINKCOND_CNETLINK_H

#include <arpa/inet.h>
#include <linux/ethtool_netlink.h>
#include <linux/fib_rules.h>
#include <linux/filter.h>
#include <linux/gen_stats.h>
#include <linux/genetlink.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/if_ether.h>
#include <linux/inet_diag.h>
#include <linux/mptcp.h>
#include <linux/net_namespace.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/pkt_cls.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tc_act/tc_mirred.h>
#include <linux/veth.h>
#include <netlink/attr.h>
#include <netlink/errno.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>

#endif
