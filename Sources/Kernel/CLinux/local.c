#define _GNU_SOURCE
#include "clinux_local.h"

#include "endpoint.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/un.h>

static int name_it(struct sockaddr_un *address, const char *path) {
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof address->sun_path) return -ENAMETOOLONG;
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, length);
    return 0;
}

static int open_local(void) {
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    return fd < 0 ? -errno : fd;
}

static int connect_to(const struct sockaddr_un *address) {
    int fd = open_local();
    if (fd < 0) return fd;
    return connect(fd, (const struct sockaddr *)address, sizeof *address) ? give_up(fd) : fd;
}

/// Removes a socket whose process is gone.
static void remove_stale(const struct sockaddr_un *address) {
    struct stat found;
    if (lstat(address->sun_path, &found) || !S_ISSOCK(found.st_mode)) return;
    int fd = connect_to(address);
    if (fd >= 0) close(fd);
    if (fd == -ECONNREFUSED) unlink(address->sun_path);
}

int lc_local_listen(const char *path) {
    struct sockaddr_un address;
    int status = name_it(&address, path);
    if (status < 0) return status;
    remove_stale(&address);
    int fd = open_local();
    if (fd < 0) return fd;
    if (bind(fd, (struct sockaddr *)&address, sizeof address) || listen(fd, SOMAXCONN))
        return give_up(fd);
    return fd;
}

int lc_local_accept(int fd) {
    int stream = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    return stream < 0 ? -errno : stream;
}

int lc_local_connect(const char *path) {
    struct sockaddr_un address;
    int status = name_it(&address, path);
    return status < 0 ? status : connect_to(&address);
}

int lc_local_pair(int *ends) {
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) ? -errno : 0;
}

int lc_is_local(int fd) {
    union {
        struct sockaddr any;
        struct sockaddr_storage room;
    } address;
    socklen_t length = sizeof address;
    if (getsockname(fd, &address.any, &length)) return -errno;
    return address.any.sa_family == AF_UNIX;
}

int lc_close_on_exec(int fd) { return fcntl(fd, F_SETFD, FD_CLOEXEC) ? -errno : 0; }

int lc_never_wait(int fd) {
    int flags = fcntl(fd, F_GETFL);
    return flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) ? -errno : 0;
}
