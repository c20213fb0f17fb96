// UDP sockets of the relay, on the host and on the far side. Each function returns a value of zero
// or above, or -errno.
#ifndef CLINUX_DATAGRAMS_H
#define CLINUX_DATAGRAMS_H

#include "clinux_relay.h"

/// A datagram that was read into a slot of a buffer.
struct lc_datagram {
    struct lc_endpoint from;
    /// Where it was sent to, for a transparent socket; else zero.
    struct lc_endpoint to;
    uint32_t length;
};

/// A nonblocking UDP socket with a port of its own that sends to anybody and hears anybody, and
/// keeps what ICMP says of its datagrams.
int lc_datagram_socket(int is_ipv6);

/// A nonblocking connected UDP socket.
int lc_connect_datagram(struct lc_endpoint to);

/// recvmmsg: reads up to `capacity` datagrams, each into a slot of `slot` bytes of `buffer`.
/// Returns how many came, at least one.
int lc_receive_datagrams(
    int fd, void *buffer, size_t slot, struct lc_datagram *datagrams, int capacity);

/// sendto.
int lc_send_datagram(int fd, const void *bytes, size_t length, struct lc_endpoint to);

/// What became of a datagram that a socket of `lc_datagram_socket` has sent: returns the error as a
/// positive errno, where it was sent to, and as much of it as was quoted.
int lc_take_datagram_error(
    int fd, void *buffer, size_t capacity, struct lc_endpoint *to, uint32_t *length);

/// How many datagrams or packets a socket had to drop until now, above all for want of room.
int64_t lc_dropped(int fd);

#endif
