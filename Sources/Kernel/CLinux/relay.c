#define _GNU_SOURCE
#include "clinux_relay.h"

#include "clinux_streams.h"
#include "endpoint.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

// Some C library versions in use do not define these.
#ifndef IPV6_TRANSPARENT
#define IPV6_TRANSPARENT 75
#endif
#ifndef IPV6_ORIGDSTADDR
#define IPV6_ORIGDSTADDR 74
#endif
#ifndef IPV6_RECVORIGDSTADDR
#define IPV6_RECVORIGDSTADDR IPV6_ORIGDSTADDR
#endif
#ifndef IP_ORIGDSTADDR
#define IP_ORIGDSTADDR 20
#endif
#ifndef IP_RECVORIGDSTADDR
#define IP_RECVORIGDSTADDR IP_ORIGDSTADDR
#endif
#ifndef IP_BIND_ADDRESS_NO_PORT
#define IP_BIND_ADDRESS_NO_PORT 24
#endif
#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif
#ifndef SO_BINDTOIFINDEX
#define SO_BINDTOIFINDEX 62
#endif
#ifndef SO_BUF_LOCK
#define SO_BUF_LOCK 72
#endif
#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23
#endif

int lc_transparent_socket(enum lc_transparent_kind kind, int is_ipv6, uint16_t port) {
    int type = kind == LC_TRANSPARENT_DATAGRAM ? SOCK_DGRAM : SOCK_STREAM;
    int protocol = kind == LC_TRANSPARENT_MULTIPATH_LISTENER ? IPPROTO_MPTCP : 0;
    int fd = socket(is_ipv6 ? AF_INET6 : AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
    if (fd < 0) return -errno;
    int level = is_ipv6 ? SOL_IPV6 : SOL_IP;
    if (is_ipv6 && set_option(fd, SOL_IPV6, IPV6_V6ONLY, 1)) return give_up(fd);
    if (set_option(fd, level, is_ipv6 ? IPV6_TRANSPARENT : IP_TRANSPARENT, 1)) return give_up(fd);
    if (kind == LC_TRANSPARENT_DATAGRAM) {
        int name = is_ipv6 ? IPV6_RECVORIGDSTADDR : IP_RECVORIGDSTADDR;
        if (set_option(fd, level, name, 1)) return give_up(fd);
        make_room(fd, SO_RCVBUFFORCE, SO_RCVBUF, link_room);
    }
    union address address;
    socklen_t length = to_address(
        (struct lc_endpoint){.is_ipv6 = is_ipv6 != 0, .port = port}, &address);
    if (bind(fd, &address.any, length)) return give_up(fd);
    if (type == SOCK_STREAM && listen(fd, SOMAXCONN)) return give_up(fd);
    return fd;
}

int lc_bound_port(int fd) {
    union address address;
    socklen_t length = sizeof address;
    if (getsockname(fd, &address.any, &length)) return -errno;
    return from_address(&address).port;
}

int lc_raw_sender(int is_ipv6, uint32_t mark) {
    int fd = socket(
        is_ipv6 ? AF_INET6 : AF_INET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_RAW);
    if (fd < 0) return -errno;
    if (set_option(fd, SOL_SOCKET, SO_MARK, (int)mark)) return give_up(fd);
    // Otherwise the kernel does not report packets that an interface does not take.
    int level = is_ipv6 ? SOL_IPV6 : SOL_IP;
    if (set_option(fd, level, is_ipv6 ? IPV6_RECVERR : IP_RECVERR, 1)) return give_up(fd);
    make_room(fd, SO_SNDBUFFORCE, SO_SNDBUF, link_room);
    return fd;
}

// Offsets count from the IP header, since the socket is of type SOCK_DGRAM.
static struct sock_filter tap_filter[] = {
    /* 0 */ BPF_STMT(BPF_LD | BPF_B | BPF_ABS, (uint32_t)(SKF_AD_OFF + SKF_AD_PKTTYPE)),
    /* 1 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PACKET_HOST, 0, 31),
    /* 2 */ BPF_STMT(BPF_LD | BPF_H | BPF_ABS, (uint32_t)(SKF_AD_OFF + SKF_AD_PROTOCOL)),
    /* 3 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IPV6, 13, 0),
    /* 4 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IP, 0, 28),
    // IPv4: no fragments; the transport header follows the options.
    /* 5 */ BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 6),
    /* 6 */ BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x3fff, 26, 0),
    /* 7 */ BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0),
    /* 8 */ BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 9),
    /* 9 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_TCP, 0, 2),
    /* 10 */ BPF_STMT(BPF_LD | BPF_B | BPF_IND, 13),
    /* 11 */ BPF_JUMP(BPF_JMP | BPF_JA, 8, 0, 0),
    /* 12 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_ICMP, 0, 2),
    /* 13 */ BPF_STMT(BPF_LD | BPF_B | BPF_IND, 0),
    /* 14 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ICMP_ECHO, 16, 18),
    // Other protocols than UDP and multicast's own are answered.
    /* 15 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_UDP, 17, 0),
    /* 16 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_IGMP, 16, 15),
    // IPv6 without extension headers.
    /* 17 */ BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 6),
    /* 18 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_TCP, 0, 3),
    /* 19 */ BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 53),
    // Of the flags, SYN is set, and none of ACK, RST and FIN.
    /* 20 */ BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x17),
    /* 21 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x02, 9, 11),
    /* 22 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_ICMPV6, 0, 2),
    /* 23 */ BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 40),
    /* 24 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ICMP6_ECHO_REQUEST, 6, 8),
    /* 25 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_UDP, 7, 0),
    /* 26 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_HOPOPTS, 6, 0),
    /* 27 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_ROUTING, 5, 0),
    /* 28 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_FRAGMENT, 4, 0),
    /* 29 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_DSTOPTS, 3, 0),
    /* 30 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_NONE, 2, 1),
    /* 31 */ BPF_STMT(BPF_RET | BPF_K, 0xffffffff),
    // No ICMP error quotes more.
    /* 32 */ BPF_STMT(BPF_RET | BPF_K, 1280),
    /* 33 */ BPF_STMT(BPF_RET | BPF_K, 0),
};

int lc_packet_tap(uint32_t interface) {
    // Protocol 0: nothing arrives before the filter is attached.
    int fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    struct sock_fprog program = {sizeof tap_filter / sizeof tap_filter[0], tap_filter};
    if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program)
        || set_option(fd, SOL_PACKET, PACKET_AUXDATA, 1))
        return give_up(fd);
    // Kernels before 4.20 lack it; the filter also rejects outgoing packets.
    set_option(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1);
    make_room(fd, SO_RCVBUFFORCE, SO_RCVBUF, link_room);
    struct sockaddr_ll address = {
        .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = (int)interface};
    if (bind(fd, (struct sockaddr *)&address, sizeof address)) return give_up(fd);
    return fd;
}

int lc_receive_tapped(int fd, void *buffer, size_t capacity, int *is_unfinished) {
    struct iovec part = {buffer, capacity};
    char control[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control,
        .msg_controllen = sizeof control};
    ssize_t count = recvmsg(fd, &message, 0);
    if (count < 0) return -errno;
    *is_unfinished = 0;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
        if (c->cmsg_level != SOL_PACKET || c->cmsg_type != PACKET_AUXDATA) continue;
        struct tpacket_auxdata data;
        memcpy(&data, CMSG_DATA(c), sizeof data);
        *is_unfinished = (data.tp_status & TP_STATUS_CSUMNOTREADY) != 0;
    }
    return (int)count;
}

int lc_send_raw(int fd, const void *packet, size_t length, struct lc_endpoint to) {
    union address address;
    // The port in a raw socket's address is a protocol, and must be zero for IPv6.
    to.port = 0;
    socklen_t address_length = to_address(to, &address);
    return sendto(fd, packet, length, 0, &address.any, address_length) < 0 ? -errno : 0;
}

void lc_send_unpaced(int fd) {
    // Every kernel has it and lets everybody use it.
    (void)setsockopt(fd, SOL_TCP, TCP_CONGESTION, "reno", 4);
}

/// Options for both ends of a relayed connection. Nothing is held back to wait for more data, nor,
/// beyond the limit, in a queue that the other end cannot see. Urgent data keeps its place in the
/// stream.
static int set_stream_options(int fd, uint32_t unsent_limit) {
    if (set_option(fd, SOL_TCP, TCP_NODELAY, 1)) return -1;
    // Multipath TCP has no urgent data.
    set_option(fd, SOL_SOCKET, SO_OOBINLINE, 1);
    // Multipath TCP has this option since Linux 6.9. Without it the far end runs further ahead.
    return set_option(fd, SOL_TCP, TCP_NOTSENT_LOWAT, (int)unsent_limit)
        && errno != EOPNOTSUPP;
}

int lc_accept(
    int fd, uint32_t unsent_limit, struct lc_endpoint *peer, struct lc_endpoint *destination) {
    union address address;
    socklen_t length = sizeof address;
    int stream = accept4(fd, &address.any, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (stream < 0) return -errno;
    *peer = from_address(&address);
    length = sizeof address;
    if (getsockname(stream, &address.any, &length) || set_stream_options(stream, unsent_limit))
        return give_up(stream);
    *destination = from_address(&address);
    return stream;
}

/// Starts the receive buffer at this size unless it is 0, and lets it grow as usual if `grows`. Linux
/// before 5.14 can only fix the size, which would slow down long-distance transfers.
static void begin_receive_buffer(int fd, uint32_t size, int grows) {
    if (!size) return;
    int locks;
    socklen_t length = sizeof locks;
    if (grows && getsockopt(fd, SOL_SOCKET, SO_BUF_LOCK, &locks, &length)) return;
    // The kernel doubles the value.
    set_option(fd, SOL_SOCKET, SO_RCVBUF, (int)size / 2);
    if (grows) set_option(fd, SOL_SOCKET, SO_BUF_LOCK, locks);
}

int lc_connect_stream(struct lc_endpoint to, struct lc_stream_shape shape) {
    union address address;
    socklen_t length = to_address(to, &address);
    int fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    set_stream_options(fd, shape.unsent_limit);
    if (shape.segment_size) set_option(fd, SOL_TCP, TCP_MAXSEG, (int)shape.segment_size);
    begin_receive_buffer(fd, shape.receive_buffer, shape.grows);
    if (!shape.is_paced) lc_send_unpaced(fd);
    if (connect(fd, &address.any, length) && errno != EINPROGRESS) return give_up(fd);
    return fd;
}

int lc_listen_stream(struct lc_endpoint at, struct lc_stream_shape shape) {
    union address address;
    socklen_t length = to_address(at, &address);
    int fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    if (at.is_ipv6 && set_option(fd, SOL_IPV6, IPV6_V6ONLY, 1)) return give_up(fd);
    if (set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1)) return give_up(fd);
    // Accepted sockets inherit these.
    set_option(fd, SOL_TCP, TCP_MAXSEG, (int)shape.segment_size);
    begin_receive_buffer(fd, shape.receive_buffer, shape.grows);
    if (bind(fd, &address.any, length) || listen(fd, SOMAXCONN)) return give_up(fd);
    return fd;
}

int lc_stop_listening(int fd) { return shutdown(fd, SHUT_RDWR) ? -errno : 0; }

static int open_bound(struct lc_endpoint at, int type, int connects) {
    union address address;
    socklen_t length = to_address(at, &address);
    int fd = socket(address.any.sa_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    if (at.is_ipv6 && set_option(fd, SOL_IPV6, IPV6_V6ONLY, 1)) return give_up(fd);
    // The port is chosen for each peer on its own.
    if (at.port == 0 && connects) set_option(fd, SOL_IP, IP_BIND_ADDRESS_NO_PORT, 1);
    return bind(fd, &address.any, length) ? give_up(fd) : fd;
}

static int connect_bound(int fd, struct lc_endpoint to) {
    if (fd < 0) return fd;
    union address address;
    socklen_t length = to_address(to, &address);
    if (connect(fd, &address.any, length) && errno != EINPROGRESS) return give_up(fd);
    return fd;
}

int lc_connect_stream_from(
    struct lc_endpoint from, struct lc_endpoint to, uint32_t mark, uint32_t unsent_limit) {
    int fd = open_bound(from, SOCK_STREAM, 1);
    if (fd >= 0 && mark && set_option(fd, SOL_SOCKET, SO_MARK, (int)mark)) return give_up(fd);
    if (fd >= 0 && set_stream_options(fd, unsent_limit)) return give_up(fd);
    return connect_bound(fd, to);
}

int lc_connect_stream_unsent(struct lc_endpoint to, uint32_t unsent_limit) {
    union address address;
    socklen_t length = to_address(to, &address);
    int fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    if (set_stream_options(fd, unsent_limit)) return give_up(fd);
    return connect(fd, &address.any, length) && errno != EINPROGRESS ? give_up(fd) : fd;
}

static int bind_datagram(struct lc_endpoint at, int connects) {
    int fd = open_bound(at, SOCK_DGRAM, connects);
    if (fd < 0) return fd;
    set_option(
        fd, at.is_ipv6 ? SOL_IPV6 : SOL_IP, at.is_ipv6 ? IPV6_RECVORIGDSTADDR : IP_RECVORIGDSTADDR,
        1);
    make_room(fd, SO_RCVBUFFORCE, SO_RCVBUF, link_room);
    make_room(fd, SO_SNDBUFFORCE, SO_SNDBUF, link_room);
    return fd;
}

int lc_bind_datagram(struct lc_endpoint at) { return bind_datagram(at, 0); }

int lc_connect_datagram_from(struct lc_endpoint from, struct lc_endpoint to) {
    return connect_bound(bind_datagram(from, 1), to);
}

int lc_connect_unshaped_stream(struct lc_endpoint to) {
    union address address;
    socklen_t length = to_address(to, &address);
    int fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    if (connect(fd, &address.any, length) && errno != EINPROGRESS) return give_up(fd);
    return fd;
}

int lc_take_error(int fd) {
    int value = 0;
    socklen_t length = sizeof value;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &value, &length) ? -errno : value;
}

int lc_unacknowledged(int fd) {
    int bytes = 0;
    return ioctl(fd, SIOCOUTQ, &bytes) ? -errno : bytes;
}

int lc_reset_on_close(int fd, int resets) {
    struct linger linger = {resets, 0};
    return setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger) ? -errno : 0;
}

enum { most_descriptors = 32 };

int lc_send_descriptors(int fd, const int *descriptors, int count) {
    if (count < 1 || count > most_descriptors) return -EINVAL;
    char byte = (char)count;
    struct iovec part = {&byte, 1};
    char control[CMSG_SPACE(sizeof(int) * most_descriptors)] = {0};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control,
        .msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)count)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)count);
    memcpy(CMSG_DATA(header), descriptors, sizeof(int) * (size_t)count);
    ssize_t sent;
    do {
        sent = sendmsg(fd, &message, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : 0;
}

int lc_receive_descriptors(int fd, int *descriptors, int capacity) {
    char byte;
    struct iovec part = {&byte, 1};
    char control[CMSG_SPACE(sizeof(int) * most_descriptors)];
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control,
        .msg_controllen = sizeof control};
    ssize_t received;
    do {
        received = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    } while (received < 0 && errno == EINTR);
    if (received < 0) return -errno;
    int count = 0;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
        int found = (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        for (int i = 0; i < found; i++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(c) + sizeof(int) * (size_t)i, sizeof descriptor);
            if (count < capacity) descriptors[count++] = descriptor;
            else close(descriptor);
        }
    }
    return count;
}
