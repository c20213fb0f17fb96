// UDP sockets of the relay, on the host and on the far side. Each function returns a value of zero
// or above, or -errno.
#ifndef CLINUX_DATAGRAMS_H
#define CLINUX_DATAGRAMS_H

#include "clinux_relay.h"

/// A datagram that was read into a slot of a buffer.
struct lc_datagram {
    struct lc_endpoint from;
    /// The original destination, for a transparent socket; else zero.
    struct lc_endpoint to;
    uint32_t length;
};

/// A nonblocking unconnected UDP socket with its own port, which sends to and receives from any
/// address, and keeps the ICMP errors for its datagrams.
int lc_datagram_socket(int is_ipv6);

/// A nonblocking connected UDP socket.
int lc_connect_datagram(struct lc_endpoint to);

/// recvmmsg: reads up to `capacity` datagrams, each into a slot of `slot` bytes of `buffer`.
/// Returns their number, at least one.
int lc_receive_datagrams(
    int fd, void *buffer, size_t slot, struct lc_datagram *datagrams, int capacity);

/// sendto.
int lc_send_datagram(int fd, const void *bytes, size_t length, struct lc_endpoint to);

/// The same for several datagrams of `size` bytes each, of which the last may be shorter, as the kernel's
/// segmentation offload takes them.
int lc_send_datagrams(int fd, const void *bytes, size_t length, uint16_t size, struct lc_endpoint to);

/// lc_send_datagram from one of this host's addresses, of the same family.
int lc_send_datagram_from(
    int fd, const void *bytes, size_t length, struct lc_endpoint from, struct lc_endpoint to);

/// Takes the next error for a datagram that a socket of `lc_datagram_socket` sent. Returns the
/// error as a positive errno, the datagram's destination, and the part of it that was quoted.
int lc_take_datagram_error(
    int fd, void *buffer, size_t capacity, struct lc_endpoint *to, uint32_t *length);

/// How many datagrams or packets a socket has dropped so far, mostly for lack of buffer space.
int64_t lc_dropped(int fd);

#endif
