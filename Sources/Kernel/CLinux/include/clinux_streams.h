// Turns programs' TCP sockets into Multipath TCP sockets. Each function returns a value of zero or
// above, or -errno.
#ifndef CLINUX_STREAMS_H
#define CLINUX_STREAMS_H

#include <stdint.h>

#include "clinux_relay.h"

/// A namespace as stat(2) identifies it.
struct lc_namespace {
    uint64_t device;
    uint64_t inode;
};

/// Makes the calling thread and its child processes ask for TCP sockets through the returned
/// descriptor (seccomp_unotify(2)). Requires CAP_SYS_ADMIN in the thread's user namespace. Programs
/// of another architecture do not ask.
int lc_intercept_streams(void);

/// Waits for the next socket(2) request, and writes it to a pipe. From then on signals no longer
/// interrupt the asking thread (Linux 5.19). Fails once the descriptor is no longer usable.
int lc_pass_stream_request_on(int fd, int queue);

/// Waits for the next request in a pipe, and answers it: with a Multipath TCP socket if the asking
/// thread is in one of these network namespaces, else as the kernel would.
///
/// Moves the calling thread to the namespace of the asking thread. It must have privileges over
/// that namespace, and see its processes at /proc. Fails once the pipe is no longer usable.
int lc_answer_stream_request(
    int fd, int queue, const struct lc_namespace *namespaces, int count);

/// Identifies the namespace of a descriptor.
int lc_identify_namespace(int fd, struct lc_namespace *found);

/// Whether the calling thread's network namespace supports Multipath TCP: 0, or the reason why not.
int lc_probe_multipath(void);

/// A ping socket connected to one host over one interface.
int lc_connect_echo_over(uint32_t interface, struct lc_endpoint to);

#endif
