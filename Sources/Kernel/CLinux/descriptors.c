#define _GNU_SOURCE
#include "clinux_relay.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>

int lc_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit)) return -errno;
    return limit.rlim_cur > INT_MAX ? INT_MAX : (int)limit.rlim_cur;
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
