// Finds out what a process may do with namespaces, by trying it in a forked copy, and whose they are.
#ifndef CLINUX_NAMESPACES_H
#define CLINUX_NAMESPACES_H

#include <stdint.h>

/// The step at which an attempt ended.
enum lc_namespace_step {
    LC_NAMESPACE_COPY,
    LC_NAMESPACE_USER,
    LC_NAMESPACE_OTHERS,
    LC_NAMESPACE_PROC,
    LC_NAMESPACE_INTERFACE,
    LC_NAMESPACE_PACKET_SOCKET,
    LC_NAMESPACE_DONE,
};

struct lc_namespace_attempt {
    enum lc_namespace_step step;
    /// The errno of that step; 0 if all succeeded.
    int reason;
};

/// Does what a sandbox does, with `in_user_namespace` inside a user namespace: makes namespaces of
/// mounts, of processes, and three of networks, mounts a new /proc, brings an interface up, and opens
/// a packet socket.
struct lc_namespace_attempt lc_try_namespaces(int in_user_namespace);

/// The user who made a user namespace, by the number in the caller's; or a negative errno.
int64_t lc_namespace_owner(int fd);

#endif
