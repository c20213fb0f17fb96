#define _GNU_SOURCE
#include "clinux_backpressure.h"

#include "clinux_datagrams.h"
#include "endpoint.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

int lc_stream_readiness(int first, int second, uint8_t *readiness) {
    struct pollfd entries[2] = {
        {.fd = first, .events = POLLIN | POLLOUT | POLLPRI | POLLRDHUP},
        {.fd = second, .events = POLLIN | POLLOUT | POLLPRI | POLLRDHUP}};
    if (poll(entries, 2, 0) < 0) return -errno;
    for (int i = 0; i < 2; i++) {
        int events = entries[i].revents;
        // After an error, both reading and writing report it.
        readiness[i] = (uint8_t)(
            (events & (POLLIN | POLLHUP | POLLERR) ? LC_READABLE : 0)
            | (events & (POLLOUT | POLLHUP | POLLERR) ? LC_WRITABLE : 0)
            | (events & POLLPRI ? LC_URGENT : 0)
            | (events & (POLLRDHUP | POLLHUP | POLLERR) ? LC_ENDED : 0));
    }
    return 0;
}

int lc_in_flight(int fd) {
    int unacknowledged = 0, unsent = 0;
    if (ioctl(fd, SIOCOUTQ, &unacknowledged) || ioctl(fd, SIOCOUTQNSD, &unsent)) return -errno;
    return unacknowledged > unsent ? unacknowledged - unsent : 0;
}

int lc_limit_unsent(int fd, uint32_t limit) {
    int value = (int)limit;
    return setsockopt(fd, SOL_TCP, TCP_NOTSENT_LOWAT, &value, sizeof value) ? -errno : 0;
}

int lc_is_within_host(struct lc_endpoint to) {
    int is_loopback = to.is_ipv6 ? to.high == 0 && to.low == 1 : to.low >> 24 == IN_LOOPBACKNET;
    if (is_loopback) return 1;
    // Sends nothing: the kernel looks up the route and the source address.
    int fd = lc_connect_datagram(to);
    if (fd < 0) return fd;
    union address own;
    socklen_t length = sizeof own;
    if (getsockname(fd, &own.any, &length)) return give_up(fd);
    close(fd);
    struct lc_endpoint from = from_address(&own);
    return from.is_ipv6 == to.is_ipv6 && from.high == to.high && from.low == to.low;
}

int lc_fix_window(int fd, uint32_t size) {
    // Received bytes that nobody has read shrink the window only as they fill the buffer. The
    // kernel doubles the size, because segments that are not full take more room than their length.
    // It never resizes a buffer whose size was set, and so keeps the window too.
    int buffer = (int)size, window = (int)size;
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer)
        || setsockopt(fd, SOL_TCP, TCP_WINDOW_CLAMP, &window, sizeof window))
        return -errno;
    return 0;
}

static void give_up_after(int fd, int patience) {
    unsigned most = (unsigned)patience * 1000;
    (void)setsockopt(fd, SOL_TCP, TCP_USER_TIMEOUT, &most, sizeof most);
}

void lc_repeat_soon(int fd, int patience) {
    // Neither Debian 12's headers nor Ubuntu 24.04's have it.
    enum { RTO_MAX_MS = 44 };
    int most = 1000, is_linear = 1;
    (void)setsockopt(fd, SOL_TCP, RTO_MAX_MS, &most, sizeof most);
    (void)setsockopt(fd, SOL_TCP, TCP_THIN_LINEAR_TIMEOUTS, &is_linear, sizeof is_linear);
    // Without it the kernel counts attempts, and has made the 15 of net.ipv4.tcp_retries2 soon.
    give_up_after(fd, patience);
}

void lc_watch_peer(int fd, int interval, int patience) {
    int is_kept = 1;
    (void)setsockopt(fd, SOL_TCP, TCP_KEEPIDLE, &interval, sizeof interval);
    (void)setsockopt(fd, SOL_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
    give_up_after(fd, patience);
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &is_kept, sizeof is_kept);
}

int lc_is_at_urgent_byte(int fd) {
    int answer = 0;
    return ioctl(fd, SIOCATMARK, &answer) ? -errno : answer;
}
