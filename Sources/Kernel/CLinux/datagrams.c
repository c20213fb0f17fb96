#define _GNU_SOURCE
#include "clinux_datagrams.h"

#include "endpoint.h"

#include <linux/errqueue.h>
#include <linux/sock_diag.h>

// Some C library versions in use do not define these.
#ifndef IPV6_ORIGDSTADDR
#define IPV6_ORIGDSTADDR 74
#endif
#ifndef IP_ORIGDSTADDR
#define IP_ORIGDSTADDR 20
#endif
#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef SO_MEMINFO
#define SO_MEMINFO 55
#endif

static void make_rooms(int fd) {
    make_room(fd, SO_RCVBUFFORCE, SO_RCVBUF, link_room);
    make_room(fd, SO_SNDBUFFORCE, SO_SNDBUF, link_room);
}

int lc_datagram_socket(int is_ipv6) {
    int fd = socket(is_ipv6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    if (is_ipv6 && set_option(fd, SOL_IPV6, IPV6_V6ONLY, 1)) return give_up(fd);
    int level = is_ipv6 ? SOL_IPV6 : SOL_IP;
    if (set_option(fd, level, is_ipv6 ? IPV6_RECVERR : IP_RECVERR, 1)) return give_up(fd);
    make_rooms(fd);
    union address any;
    socklen_t length = to_address((struct lc_endpoint){.is_ipv6 = is_ipv6 != 0}, &any);
    return bind(fd, &any.any, length) ? give_up(fd) : fd;
}

int lc_connect_datagram(struct lc_endpoint to) {
    union address address;
    socklen_t length = to_address(to, &address);
    int fd = socket(address.any.sa_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    make_rooms(fd);
    return connect(fd, &address.any, length) ? give_up(fd) : fd;
}

enum { most_at_once = 64 };

/// The original destination of a datagram, as a transparent socket reports it.
static struct lc_endpoint original_destination(struct msghdr *message) {
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
        union address address;
        if (c->cmsg_level == SOL_IP && c->cmsg_type == IP_ORIGDSTADDR) {
            memcpy(&address.v4, CMSG_DATA(c), sizeof address.v4);
            return from_address(&address);
        }
        if (c->cmsg_level == SOL_IPV6 && c->cmsg_type == IPV6_ORIGDSTADDR) {
            memcpy(&address.v6, CMSG_DATA(c), sizeof address.v6);
            return from_address(&address);
        }
    }
    return (struct lc_endpoint){0};
}

int lc_receive_datagrams(
    int fd, void *buffer, size_t slot, struct lc_datagram *datagrams, int capacity) {
    struct mmsghdr messages[most_at_once] = {0};
    struct iovec parts[most_at_once];
    union address senders[most_at_once];
    union {
        char bytes[CMSG_SPACE(sizeof(union address))];
        struct cmsghdr alignment;
    } controls[most_at_once];
    if (capacity > most_at_once) capacity = most_at_once;
    for (int i = 0; i < capacity; i++) {
        parts[i] = (struct iovec){(char *)buffer + slot * (size_t)i, slot};
        messages[i].msg_hdr = (struct msghdr){
            .msg_name = &senders[i], .msg_namelen = sizeof senders[i], .msg_iov = &parts[i],
            .msg_iovlen = 1, .msg_control = &controls[i], .msg_controllen = sizeof controls[i]};
    }
    int count = recvmmsg(fd, messages, (unsigned)capacity, MSG_DONTWAIT, NULL);
    if (count < 0) return -errno;
    for (int i = 0; i < count; i++) {
        datagrams[i] = (struct lc_datagram){
            .from = from_address(&senders[i]), .to = original_destination(&messages[i].msg_hdr),
            .length = messages[i].msg_len};
    }
    return count;
}

int lc_send_datagram(int fd, const void *bytes, size_t length, struct lc_endpoint to) {
    union address address;
    socklen_t address_length = to_address(to, &address);
    return sendto(fd, bytes, length, MSG_NOSIGNAL, &address.any, address_length) < 0 ? -errno : 0;
}

int lc_send_datagrams(int fd, const void *bytes, size_t length, uint16_t size, struct lc_endpoint to) {
    union address destination;
    struct iovec part = {(void *)bytes, length};
    union {
        char bytes[CMSG_SPACE(sizeof size)];
        struct cmsghdr alignment;
    } control = {{0}};
    struct msghdr message = {
        .msg_name = &destination, .msg_namelen = to_address(to, &destination), .msg_iov = &part,
        .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = IPPROTO_UDP;
    header->cmsg_type = UDP_SEGMENT;
    header->cmsg_len = CMSG_LEN(sizeof size);
    memcpy(CMSG_DATA(header), &size, sizeof size);
    return sendmsg(fd, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int lc_send_datagram_from(
    int fd, const void *bytes, size_t length, struct lc_endpoint from, struct lc_endpoint to) {
    union address source, destination;
    to_address(from, &source);
    struct in_pktinfo ipv4 = {.ipi_spec_dst = source.v4.sin_addr};
    struct in6_pktinfo ipv6 = {.ipi6_addr = source.v6.sin6_addr};
    size_t size = to.is_ipv6 ? sizeof ipv6 : sizeof ipv4;
    struct iovec part = {(void *)bytes, length};
    union {
        char bytes[CMSG_SPACE(sizeof(struct in6_pktinfo))];
        struct cmsghdr alignment;
    } control = {{0}};
    struct msghdr message = {
        .msg_name = &destination, .msg_namelen = to_address(to, &destination), .msg_iov = &part,
        .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_SPACE(size)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = to.is_ipv6 ? SOL_IPV6 : SOL_IP;
    header->cmsg_type = to.is_ipv6 ? IPV6_PKTINFO : IP_PKTINFO;
    header->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(header), to.is_ipv6 ? (void *)&ipv6 : (void *)&ipv4, size);
    return sendmsg(fd, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int lc_take_datagram_error(
    int fd, void *buffer, size_t capacity, struct lc_endpoint *to, uint32_t *length) {
    struct iovec part = {buffer, capacity};
    union address destination = {0};
    union {
        char bytes[CMSG_SPACE(sizeof(struct sock_extended_err) + sizeof(union address))];
        struct cmsghdr alignment;
    } control;
    struct msghdr message = {
        .msg_name = &destination, .msg_namelen = sizeof destination, .msg_iov = &part,
        .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t count = recvmsg(fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT);
    if (count < 0) return -errno;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
        int is_error = (c->cmsg_level == SOL_IP && c->cmsg_type == IP_RECVERR)
            || (c->cmsg_level == SOL_IPV6 && c->cmsg_type == IPV6_RECVERR);
        if (!is_error) continue;
        struct sock_extended_err error;
        memcpy(&error, CMSG_DATA(c), sizeof error);
        *to = from_address(&destination);
        *length = (uint32_t)count;
        return (int)error.ee_errno;
    }
    return -EPROTO;
}

int64_t lc_dropped(int fd) {
    uint32_t values[SK_MEMINFO_VARS] = {0};
    socklen_t length = sizeof values;
    if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, values, &length)) return -errno;
    return values[SK_MEMINFO_DROPS];
}
