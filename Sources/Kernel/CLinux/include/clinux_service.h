// What a background service needs: a socket that others find by name. Each returns a value of zero
// or above, or -errno.
#ifndef CLINUX_SERVICE_H
#define CLINUX_SERVICE_H

#include <sys/types.h>

/// A listening SOCK_SEQPACKET socket with an abstract name, which belongs to the network namespace
/// of the calling thread, or at a path, if the name begins with a slash.
int lc_service_listen(const char *name);

/// The next connection of such a socket, or -EAGAIN.
int lc_service_accept(int listener);

/// The same for a service that must never block: the socket buffers about this many bytes that it
/// sends, and refuses more with EAGAIN.
int lc_service_accept_keeping(int listener, int bytes);

/// A connection to such a socket. Sending and receiving fail with EAGAIN after `seconds`.
int lc_service_connect(const char *name, int seconds);

/// The process and user at the other end, as they were when it connected or began to listen.
int lc_service_peer(int fd, pid_t *process, uid_t *user);

/// A pidfd of that process (SO_PEERPIDFD, since Linux 6.5).
int lc_service_peer_descriptor(int fd);

/// Makes each later message carry the process that sent it (SO_PASSCRED). Connections that a
/// listening socket accepts inherit this.
int lc_service_tell_senders(int fd);

/// The most descriptors that a message carries.
#define LC_MESSAGE_DESCRIPTORS 4

/// Receives a message; -EMSGSIZE if it does not fit the buffer. `sender` is zero where it is
/// unknown. `descriptors` has room for LC_MESSAGE_DESCRIPTORS; the caller closes `count` of them.
ssize_t lc_service_receive(
    int fd, void *buffer, size_t capacity, pid_t *sender, int *descriptors, int *count);

/// Sends a message with copies of descriptors.
ssize_t lc_service_send(
    int fd, const void *bytes, size_t length, const int *descriptors, int count);

/// Opens a file or directory for reading, or a path below an open directory.
int lc_open_below(int directory, const char *path, int is_directory);

/// Whether a path below an open directory and another path name the same object.
int lc_is_same(int directory, const char *path, const char *other);

/// The effective user of this process.
uid_t lc_effective_user(void);

#endif
