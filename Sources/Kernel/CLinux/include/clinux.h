// Calls that the C library offers only through macros or as variadic functions, which Swift cannot
// import. Each returns a value of zero or above, or -errno.
#ifndef CLINUX_H
#define CLINUX_H

#include "clinux_packet.h"

struct pollfd;

/// ppoll(2) until `deadline` by CLOCK_MONOTONIC, not interrupted by signals.
int lc_poll_until(struct pollfd *entries, unsigned long count, int64_t deadline);

/// setns(fd, kind): moves the calling thread to a namespace. CLONE_NEWUSER is allowed only in a
/// process with one thread.
int lc_enter(int fd, int kind);

/// flock(fd, LOCK_EX | LOCK_NB).
int lc_lock_file(int fd);

/// Whether a termination signal is pending but blocked: 1 or 0.
int lc_is_told_to_end(void);

/// The effective capabilities of the calling thread, the bit of each by its number; none if they cannot
/// be read.
uint64_t lc_capabilities(void);

/// Whether programs that the calling thread starts inherit its CAP_NET_ADMIN although their user is
/// not root.
int lc_lend_net_admin(int lends);

#endif
