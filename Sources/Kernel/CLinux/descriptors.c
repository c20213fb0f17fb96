#define _GNU_SOURCE
#include "clinux_process.h"
#include "clinux_relay.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int lc_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit)) return -errno;
    return limit.rlim_cur > INT_MAX ? INT_MAX : (int)limit.rlim_cur;
}

unsigned long long lc_address_space_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY) return 0;
    return limit.rlim_cur;
}

int lc_open_descriptors(void) {
    enum { most = 1024 };
    int count = 0;
    for (int fd = 0; fd < most; fd++) count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

int lc_raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit)) return -errno;
    if (limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        // Without permission the old limit stays.
        (void)!setrlimit(RLIMIT_NOFILE, &limit);
    }
    return lc_descriptor_limit();
}

void lc_close_range(int first, int last, int on_exec) {
    if (first > last) return;
    unsigned flags = on_exec ? CLOSE_RANGE_CLOEXEC : 0;
    if (syscall(SYS_close_range, (unsigned)first, (unsigned)last, flags) == 0) return;
    // Kernels before 5.11.
    int limit = lc_descriptor_limit();
    int end = limit < 0 || limit > 65536 ? 65536 : limit;
    for (int fd = first; fd <= last && fd < end; fd++) {
        if (on_exec) fcntl(fd, F_SETFD, FD_CLOEXEC);
        else close(fd);
    }
}
