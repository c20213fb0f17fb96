#define _GNU_SOURCE
#include "clinux_service.h"

#include "endpoint.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>

static int result(long value) { return value >= 0 ? (int)value : -errno; }

static socklen_t name_it(struct sockaddr_un *address, const char *name) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    size_t length = strnlen(name, sizeof address->sun_path - 1);
    if (name[0] == '/') {
        memcpy(address->sun_path, name, length);
        return (socklen_t)sizeof *address;
    }
    memcpy(address->sun_path + 1, name, length);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
}

int lc_service_listen(const char *name) {
    struct sockaddr_un address;
    socklen_t length = name_it(&address, name);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || lc_service_tell_senders(fd) != 0
        || bind(fd, (struct sockaddr *)&address, length) != 0 || listen(fd, 64) != 0)
        return give_up(fd);
    return fd;
}

static int limit_waiting(int fd, int seconds) {
    struct timeval limit = {.tv_sec = seconds};
    return setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit)
        || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

int lc_service_accept(int listener) {
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    // A client that connects and then does nothing blocks the service no longer than this.
    if (fd < 0 || limit_waiting(fd, 1) != 0) return give_up(fd);
    return fd;
}

int lc_service_accept_keeping(int listener, int bytes) {
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) return -errno;
    if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof bytes) != 0)
        setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    return fd;
}

int lc_service_connect(const char *name, int seconds) {
    struct sockaddr_un address;
    socklen_t length = name_it(&address, name);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0 || lc_service_tell_senders(fd) != 0 || limit_waiting(fd, seconds) != 0
        || connect(fd, (struct sockaddr *)&address, length) != 0)
        return give_up(fd);
    return fd;
}

int lc_service_peer(int fd, pid_t *process, uid_t *user) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -errno;
    *process = peer.pid;
    *user = peer.uid;
    return result(0);
}

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

int lc_service_peer_descriptor(int fd) {
    int descriptor = -1;
    socklen_t length = sizeof descriptor;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &descriptor, &length) != 0) return -errno;
    return descriptor;
}

int lc_service_tell_senders(int fd) {
    int yes = 1;
    return result(setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes));
}

enum { control_length =
    CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(LC_MESSAGE_DESCRIPTORS * sizeof(int)) };

ssize_t lc_service_receive(
    int fd, void *buffer, size_t capacity, pid_t *sender, int *descriptors, int *count) {
    union {
        char bytes[control_length];
        struct cmsghdr aligned;
    } control;
    struct iovec part = {buffer, capacity};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
        .msg_controllen = sizeof control.bytes};
    ssize_t received;
    *sender = 0;
    *count = 0;
    do {
        received = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    } while (received < 0 && errno == EINTR);
    if (received < 0) return -errno;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
        if (c->cmsg_level != SOL_SOCKET) continue;
        if (c->cmsg_type == SCM_CREDENTIALS) {
            struct ucred who;
            memcpy(&who, CMSG_DATA(c), sizeof who);
            *sender = who.pid;
        } else if (c->cmsg_type == SCM_RIGHTS) {
            // The kernel passes no more descriptors than there is room for.
            *count = (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
            memcpy(descriptors, CMSG_DATA(c), (size_t)*count * sizeof(int));
        }
    }
    if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0) return received;
    for (int i = 0; i < *count; i++) close(descriptors[i]);
    *count = 0;
    return -EMSGSIZE;
}

ssize_t lc_service_send(
    int fd, const void *bytes, size_t length, const int *descriptors, int count) {
    if (count < 0 || count > LC_MESSAGE_DESCRIPTORS) return -EINVAL;
    union {
        char bytes[CMSG_SPACE(LC_MESSAGE_DESCRIPTORS * sizeof(int))];
        struct cmsghdr aligned;
    } control;
    memset(&control, 0, sizeof control);
    struct iovec part = {(void *)bytes, length};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (count > 0) {
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE((size_t)count * sizeof(int));
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
        memcpy(CMSG_DATA(header), descriptors, (size_t)count * sizeof(int));
    }
    ssize_t sent;
    do {
        sent = sendmsg(fd, &message, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : sent;
}

int lc_open_below(int directory, const char *path, int is_directory) {
    return result(openat(
        directory, path, O_RDONLY | O_CLOEXEC | (is_directory ? O_DIRECTORY : 0)));
}

int lc_is_same(int directory, const char *path, const char *other) {
    struct stat found, wanted;
    if (fstatat(directory, path, &found, 0) != 0 || stat(other, &wanted) != 0) return -errno;
    return found.st_dev == wanted.st_dev && found.st_ino == wanted.st_ino;
}

uid_t lc_effective_user(void) { return geteuid(); }
