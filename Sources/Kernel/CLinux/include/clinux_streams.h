// Programs' sockets of TCP, as far as linkcond makes them sockets of Multipath TCP. Each function
// returns a value of zero or above, or -errno.
#ifndef CLINUX_STREAMS_H
#define CLINUX_STREAMS_H

#include <stdint.h>

#include "clinux_relay.h"

/// A namespace as stat(2) identifies it.
struct lc_namespace {
    uint64_t device;
    uint64_t inode;
};

/// From now on the calling thread and whoever it starts ask for TCP sockets by way of the returned
/// descriptor (seccomp_unotify(2)). Takes CAP_SYS_ADMIN in the thread's user namespace. Programs
/// of other architectures than this one do not ask.
int lc_intercept_streams(void);

/// Waits for the next socket(2) that is asked for, and writes the request to a pipe. From then on
/// signals no longer interrupt the asking thread (Linux 5.19). Fails if the descriptor is of no use
/// any more.
int lc_pass_stream_request_on(int fd, int queue);

/// Waits for the next request in a pipe, and answers it: with a socket of Multipath TCP where the
/// asking thread is in one of these network namespaces, else as the kernel would.
///
/// Moves the calling thread to the namespace of the asking one, over which it must have
/// privileges, and whose processes must be visible at /proc. Fails if the pipe is of no use any
/// more.
int lc_answer_stream_request(
    int fd, int queue, const struct lc_namespace *namespaces, int count);

/// Identifies the namespace that a descriptor stands for.
int lc_identify_namespace(int fd, struct lc_namespace *found);

/// Whether the calling thread's network namespace has Multipath TCP: 0, or why not.
int lc_probe_multipath(void);

/// A ping socket that speaks to one host over one interface.
int lc_connect_echo_over(uint32_t interface, struct lc_endpoint to);

#endif
