#define _GNU_SOURCE
#include "clinux_relay.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

int lc_event_queue(void) {
    int fd = epoll_create1(EPOLL_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int lc_pipe_ends(int *ends) {
    return pipe2(ends, O_CLOEXEC) ? -errno : 0;
}

int lc_conduit(int *ends, int capacity) {
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK)) return -errno;
    // Otherwise it keeps the kernel's own capacity.
    fcntl(ends[1], F_SETPIPE_SZ, capacity);
    return 0;
}

ssize_t lc_splice(int from, int to, size_t limit) {
    return splice(from, NULL, to, NULL, limit, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
}

int lc_watch(int epoll, int fd, uint64_t token, int is_edge_triggered) {
    struct epoll_event event = {
        .events = is_edge_triggered ? EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET : EPOLLIN,
        .data.u64 = token};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

int lc_unwatch(int epoll, int fd) {
    return epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL) ? -errno : 0;
}

int lc_wait_events(
    int epoll, uint64_t *tokens, uint8_t *meanings, int capacity, int timeout_milliseconds) {
    enum { at_once = 128 };
    struct epoll_event events[at_once];
    int count = epoll_wait(
        epoll, events, capacity < at_once ? capacity : at_once, timeout_milliseconds);
    if (count < 0) return errno == EINTR ? 0 : -errno;
    for (int i = 0; i < count; i++) {
        uint32_t flags = events[i].events;
        tokens[i] = events[i].data.u64;
        // After an error, both reading and writing report it.
        meanings[i] = (uint8_t)(
            (flags & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR) ? 1 : 0)
            | (flags & (EPOLLOUT | EPOLLHUP | EPOLLERR) ? 2 : 0));
    }
    return count;
}
