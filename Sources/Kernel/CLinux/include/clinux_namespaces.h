// What a process may do with namespaces, found out by doing it in a copy of the process.
#ifndef CLINUX_NAMESPACES_H
#define CLINUX_NAMESPACES_H

/// Where an attempt ended.
enum lc_namespace_step {
    LC_NAMESPACE_COPY,
    LC_NAMESPACE_USER,
    LC_NAMESPACE_NETWORK,
    LC_NAMESPACE_PACKET_SOCKET,
    LC_NAMESPACE_DONE,
};

struct lc_namespace_attempt {
    enum lc_namespace_step step;
    /// Why it went no further; 0 if it is done.
    int reason;
};

/// Makes a network namespace, with `in_user_namespace` within a user namespace, and opens a packet
/// socket there.
struct lc_namespace_attempt lc_try_namespaces(int in_user_namespace);

#endif
