#define _GNU_SOURCE
#include "clinux_namespaces.h"
#include "clinux_process.h"

#include <errno.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

// The forked copy must not call anything that takes a lock: another thread may have held it.
static struct lc_namespace_attempt attempt(int in_user_namespace) {
    if (in_user_namespace && unshare(CLONE_NEWUSER) != 0)
        return (struct lc_namespace_attempt){LC_NAMESPACE_USER, errno};
    if (unshare(CLONE_NEWNET) != 0)
        return (struct lc_namespace_attempt){LC_NAMESPACE_NETWORK, errno};
    if (socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0) < 0)
        return (struct lc_namespace_attempt){LC_NAMESPACE_PACKET_SOCKET, errno};
    return (struct lc_namespace_attempt){LC_NAMESPACE_DONE, 0};
}

struct lc_namespace_attempt lc_try_namespaces(int in_user_namespace) {
    struct lc_namespace_attempt result = {LC_NAMESPACE_COPY, 0};
    int ends[2];
    if (pipe(ends) != 0) {
        result.reason = errno;
        return result;
    }
    pid_t copy = fork();
    if (copy == 0) {
        struct lc_namespace_attempt outcome = attempt(in_user_namespace);
        _exit(write(ends[1], &outcome, sizeof outcome) == sizeof outcome ? 0 : 1);
    }
    if (copy < 0) result.reason = errno;
    close(ends[1]);
    if (copy > 0) {
        struct lc_namespace_attempt outcome;
        if (read(ends[0], &outcome, sizeof outcome) == sizeof outcome) result = outcome;
        else result.reason = EIO;
        lc_reap(copy, 1, &(struct lc_child_exit){0});
    }
    close(ends[0]);
    return result;
}

int64_t lc_namespace_owner(int fd) {
    uid_t owner = 0;
    return ioctl(fd, NS_GET_OWNER_UID, &owner) ? -errno : (int64_t)owner;
}
