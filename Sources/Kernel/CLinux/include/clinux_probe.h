// Sockets that measure a link; none of them waits. Each call returns a value of zero or above, or
// -errno.
#ifndef CLINUX_PROBE_H
#define CLINUX_PROBE_H

#include "clinux_relay.h"

/// A UDP socket that is bound to `port` (0: any) of all addresses, and notes when datagrams came
/// (SO_TIMESTAMPNS). They are sent without a checksum, so that damaged ones arrive.
int lc_probe_open(int is_ipv6, uint16_t port);

/// Names the only peer.
int lc_probe_connect(int fd, struct lc_endpoint to);

/// A TCP socket that listens on `port` of all IPv4 addresses.
int lc_stream_listen(uint16_t port);

/// A connection that has come in, or -EAGAIN.
int lc_stream_accept(int listener);

/// The last RTT that the kernel measured on a connection, in microseconds; 0 if none.
int64_t lc_stream_round_trip(int stream);

/// Lets a UDP socket send packets as large as the interface takes them, whatever the kernel has
/// learnt of the path, and lets nobody fragment them.
int lc_probe_ignore_path_mtu(int fd, int is_ipv6);

/// The MTU that the kernel knows of the path to the peer.
int lc_probe_path_mtu(int fd, int is_ipv6);

/// The address of the other end of a connection.
int lc_stream_peer(int fd, struct lc_endpoint *peer);

/// The address of this end of a socket.
int lc_own_end(int fd, struct lc_endpoint *own);

/// The largest segment that this end has announced, and the largest that it may send, both before
/// options.
int lc_stream_segments(int fd, uint32_t *announced, uint32_t *permitted);

/// Makes a listener keep the headers of the SYN of each connection.
int lc_keep_openings(int listener);

/// Takes these headers from the IP header on, and returns their length: 0 if there are none.
int lc_saved_opening(int fd, void *buffer, uint32_t capacity);

/// The addresses of all interfaces that are up; returns how many there are.
int lc_own_addresses(struct lc_endpoint *found, int capacity);

#endif
