// Sockets that measure a link: numbered UDP packets with the time they were sent, and the kernel's
// time of their arrival. Each call returns a value of zero or above, or -errno.
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
    /// What the socket's buffer had no room for until now.
    uint32_t overflows;
    /// Whether each byte is as it was sent. The number and the time sent mean something only then.
    int32_t is_intact;
};

/// Waits until one of at most 64 descriptors can be read or, by CLOCK_MONOTONIC, `until`. Returns
/// how many can.
int lc_wait_readable(const int *descriptors, int count, int64_t until);

/// A UDP socket of `family` 4 or 6, bound to `port` (0: any) of all addresses. Packets are sent
/// without a checksum, so that damaged ones arrive.
int lc_probe_open(int family, uint16_t port);

/// Names the only peer.
int lc_probe_connect(int socket, int family, const char *address, uint16_t port);

/// Sends one probe with `length` bytes of payload. 1: sent, 0: the socket takes none at present.
int lc_probe_send(int socket, uint32_t number, int length);

/// Takes up to `capacity` probes, and does not wait. Returns how many.
int lc_probe_receive(int socket, struct lc_probe_arrival *arrivals, int capacity);

/// A TCP socket that listens on `port`.
int lc_stream_listen(int family, uint16_t port);

/// A connection that has come in until then by CLOCK_MONOTONIC, or -ETIMEDOUT.
int lc_stream_accept(int listener, int64_t until);

/// A connection made until then, or -ETIMEDOUT.
int lc_stream_connect(int family, const char *address, uint16_t port, int64_t until);

/// The last round trip that the kernel measured on a connection, in microseconds; 0 if none.
int64_t lc_stream_round_trip(int stream);

/// Writes what the connection takes, once it takes some before `until`; returns the bytes.
int64_t lc_stream_write(int stream, int64_t until);

/// Reads and forgets what is there, once something is before `until`; returns the bytes, 0 at the
/// end of the stream.
int64_t lc_stream_read(int stream, int64_t until);

#endif
