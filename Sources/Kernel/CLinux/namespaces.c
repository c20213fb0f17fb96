#define _GNU_SOURCE
#include "clinux_namespaces.h"
#include "clinux_process.h"

#include <errno.h>
#include <linux/nsfs.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

static struct lc_namespace_attempt failure(enum lc_namespace_step step) {
    return (struct lc_namespace_attempt){step, errno};
}

// A sandbox has three networks; an open socket keeps each of them.
static int make_namespaces(void) {
    int others = CLONE_NEWNS | CLONE_NEWPID;
    for (int count = 0; count < 3; count++) {
        if (unshare(CLONE_NEWNET | others) != 0) return -1;
        if (socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) < 0) return -1;
        others = 0;
    }
    return 0;
}

// Only a process of the new namespace may mount its /proc. It ends with the errno.
static int mount_proc(void) {
    pid_t first = fork();
    if (first == 0) {
        int failed = mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0
            || mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0;
        _exit(failed ? errno : 0);
    }
    if (first < 0) return -1;
    struct lc_child_exit end = {0};
    if (lc_reap(first, 1, &end) != 1 || end.signal) end.code = EIO;
    errno = end.code;
    return end.code ? -1 : 0;
}

static int bring_loopback_up(void) {
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
    int inside = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return inside < 0 ? -1 : ioctl(inside, SIOCSIFFLAGS, &request);
}

// The forked copy must not call anything that takes a lock: another thread may have held it.
static struct lc_namespace_attempt attempt(int in_user_namespace) {
    if (in_user_namespace) {
        struct lc_forked made = lc_make_user_namespace(0);
        if (made.process < 0)
            return (struct lc_namespace_attempt){LC_NAMESPACE_USER, -made.process};
    }
    if (make_namespaces() != 0) return failure(LC_NAMESPACE_OTHERS);
    if (mount_proc() != 0) return failure(LC_NAMESPACE_PROC);
    if (bring_loopback_up() != 0) return failure(LC_NAMESPACE_INTERFACE);
    if (socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0) < 0)
        return failure(LC_NAMESPACE_PACKET_SOCKET);
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
