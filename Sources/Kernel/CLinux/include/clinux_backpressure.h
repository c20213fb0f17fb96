// Limits how far a relayed TCP connection runs ahead, finds its urgent data, and lets it repeat soon
// what was lost. Each function that returns a value returns zero or above, or -errno.
#ifndef CLINUX_BACKPRESSURE_H
#define CLINUX_BACKPRESSURE_H

#include "clinux_relay.h"

#include <stdint.h>

/// What a TCP socket is ready for, as bits.
enum {
    LC_READABLE = 1,
    LC_WRITABLE = 2,
    /// The urgent byte has arrived and was not read.
    LC_URGENT = 4,
    /// The other end sends no more, though there may be something left to read.
    LC_ENDED = 8,
};

/// What two sockets are ready for now. A socket that is not writable signals its epoll once it is.
int lc_stream_readiness(int first, int second, uint8_t *readiness);

/// How many sent bytes the other end has not acknowledged.
int lc_in_flight(int fd);

/// Limits how many bytes may wait to be sent for the first time.
int lc_limit_unsent(int fd, uint32_t limit);

/// Whether packets to an address stay within the host.
int lc_is_within_host(struct lc_endpoint to);

/// Sets the receive window of a connected socket until the next call.
int lc_fix_window(int fd, uint32_t size);

/// Lets a connection over which little is sent repeat what was lost every second or sooner, where the
/// kernel can: Linux 6.15 for as long as it lasts, others six times. It gives up after `patience` seconds
/// without an answer.
void lc_repeat_soon(int fd, int patience);

/// Asks the other end of a silent connection every `interval` seconds whether it is still there, and ends
/// the connection after `patience` seconds without an answer.
void lc_watch_peer(int fd, int interval, int patience);

/// Whether the next byte to be read is the urgent one.
int lc_is_at_urgent_byte(int fd);

#endif
