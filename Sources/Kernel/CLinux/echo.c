#define _GNU_SOURCE
#include "clinux_streams.h"
#include "endpoint.h"

#include <linux/icmp.h>
#include <linux/icmpv6.h>

static int open_echo(struct lc_endpoint to, int type) {
    return socket(
        to.is_ipv6 ? AF_INET6 : AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC,
        to.is_ipv6 ? IPPROTO_ICMPV6 : IPPROTO_ICMP);
}

static int connect_echo(int fd, struct lc_endpoint to) {
    to.port = 0;
    union address address;
    socklen_t length = to_address(to, &address);
    return connect(fd, &address.any, length) ? give_up(fd) : fd;
}

/// Lets a raw socket receive nothing but echo replies.
static int take_replies_only(int fd, int is_ipv6) {
    if (!is_ipv6) {
        struct icmp_filter filter = {~(1u << ICMP_ECHOREPLY)};
        return setsockopt(fd, SOL_RAW, ICMP_FILTER, &filter, sizeof filter);
    }
    // Set bits block.
    struct icmp6_filter filter;
    memset(&filter, 0xff, sizeof filter);
    filter.data[ICMPV6_ECHO_REPLY >> 5] &= ~(1u << (ICMPV6_ECHO_REPLY & 31));
    return setsockopt(fd, IPPROTO_ICMPV6, ICMPV6_FILTER, &filter, sizeof filter);
}

int lc_connect_echo(struct lc_endpoint to, int *is_raw) {
    int fd = open_echo(to, SOCK_DGRAM);
    *is_raw = fd < 0 && errno == EACCES;
    if (*is_raw) {
        fd = open_echo(to, SOCK_RAW);
        if (fd >= 0 && take_replies_only(fd, to.is_ipv6)) return give_up(fd);
    }
    if (fd < 0) return -errno;
    int level = to.is_ipv6 ? SOL_IPV6 : SOL_IP;
    if (set_option(fd, level, to.is_ipv6 ? IPV6_RECVERR : IP_RECVERR, 1)) return give_up(fd);
    return connect_echo(fd, to);
}

int lc_connect_echo_over(uint32_t interface, struct lc_endpoint to) {
    int fd = open_echo(to, SOCK_DGRAM);
    if (fd < 0) return -errno;
    if (set_option(fd, SOL_SOCKET, SO_BINDTOIFINDEX, (int)interface)) return give_up(fd);
    return connect_echo(fd, to);
}
