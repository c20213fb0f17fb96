#define _GNU_SOURCE
#include "clinux_probe.h"

#include "endpoint.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/tcp.h>

#ifndef UDP_NO_CHECK6_TX
#define UDP_NO_CHECK6_TX 101
#define UDP_NO_CHECK6_RX 102
#endif
#ifndef TCP_SAVE_SYN
#define TCP_SAVE_SYN 27
#define TCP_SAVED_SYN 28
#endif

enum { buffer_bytes = 32 << 20 };

static int open_bound(int is_ipv6, int type, uint16_t port) {
    union address any;
    socklen_t length = to_address(
        (struct lc_endpoint){.is_ipv6 = is_ipv6 != 0, .port = port}, &any);
    int fd = socket(any.any.sa_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -errno;
    if (is_ipv6) set_option(fd, SOL_IPV6, IPV6_V6ONLY, 1);
    if (type == SOCK_STREAM) set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    return bind(fd, &any.any, length) ? give_up(fd) : fd;
}

int lc_probe_open(int is_ipv6, uint16_t port) {
    int fd = open_bound(is_ipv6, SOCK_DGRAM, port);
    if (fd < 0) return fd;
    // What a full buffer of ours dropped would look like loss on the link. Only root may have
    // more than the system's maximum.
    make_room(fd, SO_RCVBUFFORCE, SO_RCVBUF, buffer_bytes);
    make_room(fd, SO_SNDBUFFORCE, SO_SNDBUF, buffer_bytes);
    if (is_ipv6) {
        set_option(fd, IPPROTO_UDP, UDP_NO_CHECK6_TX, 1);
        set_option(fd, IPPROTO_UDP, UDP_NO_CHECK6_RX, 1);
    } else {
        set_option(fd, SOL_SOCKET, SO_NO_CHECK, 1);
    }
    return set_option(fd, SOL_SOCKET, SO_TIMESTAMPNS, 1) ? give_up(fd) : fd;
}

int lc_probe_connect(int fd, struct lc_endpoint to) {
    union address peer;
    socklen_t length = to_address(to, &peer);
    return connect(fd, &peer.any, length) ? -errno : 0;
}

int lc_stream_listen(uint16_t port) {
    int fd = open_bound(0, SOCK_STREAM, port);
    if (fd < 0) return fd;
    return listen(fd, 8) ? give_up(fd) : fd;
}

int lc_stream_accept(int listener) {
    int stream = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    return stream < 0 ? -errno : stream;
}

int64_t lc_stream_round_trip(int stream) {
    struct tcp_info info = {0};
    socklen_t length = sizeof info;
    return getsockopt(stream, SOL_TCP, TCP_INFO, &info, &length) ? 0 : info.tcpi_rtt;
}

int lc_probe_ignore_path_mtu(int fd, int is_ipv6) {
    int failed = is_ipv6 ? set_option(fd, SOL_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_PROBE)
                         : set_option(fd, SOL_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE);
    return failed ? -errno : 0;
}

int lc_probe_path_mtu(int fd, int is_ipv6) {
    int mtu = 0;
    socklen_t length = sizeof mtu;
    int failed = is_ipv6 ? getsockopt(fd, SOL_IPV6, IPV6_MTU, &mtu, &length)
                         : getsockopt(fd, SOL_IP, IP_MTU, &mtu, &length);
    return failed ? -errno : mtu;
}

int lc_stream_peer(int fd, struct lc_endpoint *peer) {
    union address address;
    socklen_t length = sizeof address;
    if (getpeername(fd, &address.any, &length)) return -errno;
    *peer = from_address(&address);
    return 0;
}

int lc_own_end(int fd, struct lc_endpoint *own) {
    union address address;
    socklen_t length = sizeof address;
    if (getsockname(fd, &address.any, &length)) return -errno;
    *own = from_address(&address);
    return 0;
}

int lc_stream_segments(int fd, uint32_t *announced, uint32_t *permitted) {
    struct tcp_info info = {0};
    socklen_t length = sizeof info;
    if (getsockopt(fd, SOL_TCP, TCP_INFO, &info, &length)) return -errno;
    // Where both ends use timestamps, these take their room from each segment, and the kernel
    // subtracts it from both (RFC 7323, section 3.2; RFC 6691).
    uint32_t options = info.tcpi_options & TCPI_OPT_TIMESTAMPS ? 12 : 0;
    *announced = info.tcpi_advmss + options;
    *permitted = info.tcpi_snd_mss + options;
    return 0;
}

int lc_keep_openings(int listener) {
    return set_option(listener, SOL_TCP, TCP_SAVE_SYN, 1) ? -errno : 0;
}

int lc_saved_opening(int fd, void *buffer, uint32_t capacity) {
    socklen_t length = capacity;
    return getsockopt(fd, SOL_TCP, TCP_SAVED_SYN, buffer, &length) ? -errno : (int)length;
}

int lc_own_addresses(struct lc_endpoint *found, int capacity) {
    struct ifaddrs *all;
    if (getifaddrs(&all)) return -errno;
    int count = 0;
    for (struct ifaddrs *one = all; one && count < capacity; one = one->ifa_next) {
        if (!one->ifa_addr || !(one->ifa_flags & IFF_UP)) continue;
        union address address = {0};
        if (one->ifa_addr->sa_family == AF_INET) {
            memcpy(&address.v4, one->ifa_addr, sizeof address.v4);
        } else if (one->ifa_addr->sa_family == AF_INET6) {
            memcpy(&address.v6, one->ifa_addr, sizeof address.v6);
        } else {
            continue;
        }
        found[count++] = from_address(&address);
    }
    freeifaddrs(all);
    return count;
}
