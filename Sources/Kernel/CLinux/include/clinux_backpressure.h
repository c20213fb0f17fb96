// How far a TCP connection that is relayed may run ahead, and what is urgent in it. Each function
// returns a value of zero or above, or -errno.
#ifndef CLINUX_BACKPRESSURE_H
#define CLINUX_BACKPRESSURE_H

#include "clinux_relay.h"

#include <stdint.h>

/// What a TCP socket is ready for, as bits.
enum {
    LC_READABLE = 1,
    LC_WRITABLE = 2,
    /// The urgent byte has come and was not read.
    LC_URGENT = 4,
};

/// What two sockets are ready for now. Where it is not writing, the socket will tell its epoll
/// when it is.
int lc_stream_readiness(int first, int second, uint8_t *readiness);

/// How many bytes the other end has not acknowledged of those that were sent.
int lc_in_flight(int fd);

/// Sets how many bytes may wait for being sent for the first time.
int lc_limit_unsent(int fd, uint32_t limit);

/// Whether what is sent to an address stays within the host.
int lc_is_within_host(struct lc_endpoint to);

/// Sets the receive window of a connected socket until the next call.
int lc_fix_window(int fd, uint32_t size);

/// Whether the next byte to be read is the urgent one.
int lc_is_at_urgent_byte(int fd);

#endif
