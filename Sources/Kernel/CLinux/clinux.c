#define _GNU_SOURCE
#include "clinux.h"

#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int lc_poll_until(struct pollfd *entries, unsigned long count, int64_t deadline) {
    for (;;) {
        int64_t left = deadline - lc_clock(CLOCK_MONOTONIC);
        if (left < 0) left = 0;
        struct timespec timeout = {left / 1000000000, left % 1000000000};
        int ready = ppoll(entries, count, &timeout, NULL);
        if (ready >= 0) return ready;
        if (errno != EINTR) return -errno;
    }
}

int lc_enter(int fd, int kind) {
    return setns(fd, kind) == 0 ? 0 : -errno;
}

int lc_lock_file(int fd) {
    return flock(fd, LOCK_EX | LOCK_NB) == 0 ? 0 : -errno;
}

int lc_is_told_to_end(void) {
    static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    sigset_t pending;
    if (sigpending(&pending) != 0) return 0;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigismember(&pending, signals[i])) return 1;
    return 0;
}

uint64_t lc_capabilities(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2];
    if (syscall(SYS_capget, &header, data) != 0) return 0;
    return (uint64_t)data[1].effective << 32 | data[0].effective;
}

int lc_lend_net_admin(int lends) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2];
    if (syscall(SYS_capget, &header, data) != 0) return -errno;
    // Removing it from the inheritable set also removes it from the ambient set.
    data[0].inheritable &= ~(1u << CAP_NET_ADMIN);
    if (lends) data[0].inheritable |= 1u << CAP_NET_ADMIN;
    if (syscall(SYS_capset, &header, data) != 0) return -errno;
    if (!lends) return 0;
    return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_NET_ADMIN, 0, 0) == 0 ? 0 : -errno;
}
