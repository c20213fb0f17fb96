// Socket addresses and options that several kinds of sockets share.
#ifndef CLINUX_ENDPOINT_H
#define CLINUX_ENDPOINT_H

#include "clinux_relay.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static inline socklen_t to_address(struct lc_endpoint from, union address *to) {
    memset(to, 0, sizeof *to);
    if (!from.is_ipv6) {
        to->v4.sin_family = AF_INET;
        to->v4.sin_port = htons(from.port);
        to->v4.sin_addr.s_addr = htonl((uint32_t)from.low);
        return sizeof to->v4;
    }
    uint64_t halves[2] = {htobe64(from.high), htobe64(from.low)};
    to->v6.sin6_family = AF_INET6;
    to->v6.sin6_port = htons(from.port);
    memcpy(&to->v6.sin6_addr, halves, sizeof halves);
    return sizeof to->v6;
}

static inline struct lc_endpoint from_address(const union address *from) {
    struct lc_endpoint to = {0};
    if (from->any.sa_family == AF_INET) {
        to.port = ntohs(from->v4.sin_port);
        to.low = ntohl(from->v4.sin_addr.s_addr);
        return to;
    }
    uint64_t halves[2];
    memcpy(halves, &from->v6.sin6_addr, sizeof halves);
    to.high = be64toh(halves[0]);
    to.low = be64toh(halves[1]);
    to.port = ntohs(from->v6.sin6_port);
    to.is_ipv6 = 1;
    return to;
}

static inline int set_option(int fd, int level, int name, int value) {
    return setsockopt(fd, level, name, &value, sizeof value);
}

/// Closes a socket whose setup failed, if there is one, and returns why it failed.
static inline int give_up(int fd) {
    int reason = errno;
    close(fd);
    return -reason;
}

/// A socket buffer that holds what the queue of any link would: 7,000 packets.
enum { link_room = 16 << 20 };

/// Asks for a socket buffer. The kernel caps it for callers that may not force it.
static inline void make_room(int fd, int forced_option, int option, int size) {
    if (set_option(fd, SOL_SOCKET, forced_option, size)) set_option(fd, SOL_SOCKET, option, size);
}

#endif
