// Sockets that measure a link: numbered UDP packets with their send time, and the kernel's arrival
// time. Each call returns a value of zero or above, or -errno.
#ifndef CLINUX_PROBE_H
#define CLINUX_PROBE_H

#include <stdint.h>

/// The bytes of a probe's payload that are not filler.
#define LC_PROBE_HEAD 24

/// A probe that has arrived.
struct lc_probe_arrival {
    /// CLOCK_REALTIME in nanoseconds.
    int64_t sent;
    int64_t received;
    uint32_t number;
    /// Packets dropped so far for lack of buffer space.
    uint32_t overflows;
    /// Whether every byte is intact. Otherwise the number and the send time mean nothing.
    int32_t is_intact;
};

/// Waits until one of at most 64 descriptors is readable, or until the CLOCK_MONOTONIC time
/// `until`. Returns how many are.
int lc_wait_readable(const int *descriptors, int count, int64_t until);

/// A UDP socket of `family` 4 or 6, bound to `port` (0: any) of all addresses. Packets are sent
/// without a checksum, so that damaged ones arrive.
int lc_probe_open(int family, uint16_t port);

/// Sets the only peer.
int lc_probe_connect(int socket, int family, const char *address, uint16_t port);

/// Sends one probe with `length` bytes of payload. 1: sent, 0: the socket is not writable now.
int lc_probe_send(int socket, uint32_t number, int length);

/// Takes up to `capacity` probes without blocking. Returns how many.
int lc_probe_receive(int socket, struct lc_probe_arrival *arrivals, int capacity);

/// A TCP socket that listens on `port`.
int lc_stream_listen(int family, uint16_t port);

/// Accepts a connection before the CLOCK_MONOTONIC time `until`, or returns -ETIMEDOUT.
int lc_stream_accept(int listener, int64_t until);

/// Connects before `until`, or returns -ETIMEDOUT.
int lc_stream_connect(int family, const char *address, uint16_t port, int64_t until);

/// The last RTT that the kernel measured on a connection, in microseconds; 0 if none.
int64_t lc_stream_round_trip(int stream);

/// Writes as much as the connection takes once it is writable before `until`; returns the bytes.
int64_t lc_stream_write(int stream, int64_t until);

/// Reads and discards what is there once it is readable before `until`; returns the bytes, 0 at the
/// end of the stream.
int64_t lc_stream_read(int stream, int64_t until);

#endif
