#define _GNU_SOURCE
#include "clinux_probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PROBE_MAGIC 0x6c63u
#define LONGEST_PROBE 9000
#define BUFFER_BYTES (32 << 20)
#define BATCH 32

#ifndef UDP_NO_CHECK6_TX
#define UDP_NO_CHECK6_TX 101
#define UDP_NO_CHECK6_RX 102
#endif

// In host order: both ends are on one machine.
struct head {
    uint16_t magic;
    uint16_t length;
    uint32_t number;
    int64_t sent;
    uint64_t check;
};

_Static_assert(sizeof(struct head) == LC_PROBE_HEAD, "a head without gaps");

static int64_t now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int wait_for(struct pollfd *entries, int count, int64_t until) {
    for (;;) {
        int64_t left = until - now(CLOCK_MONOTONIC);
        if (left < 0) left = 0;
        struct timespec timeout = {left / 1000000000, left % 1000000000};
        int result = ppoll(entries, (nfds_t)count, &timeout, NULL);
        if (result >= 0) return result;
        if (errno != EINTR) return -errno;
    }
}

int lc_wait_readable(const int *descriptors, int count, int64_t until) {
    struct pollfd entries[64];
    if (count > 64) return -EINVAL;
    for (int i = 0; i < count; i++) entries[i] = (struct pollfd){descriptors[i], POLLIN, 0};
    return wait_for(entries, count, until);
}

// Any change of any bit changes it.
static uint64_t check_of(const struct head *head) {
    uint64_t check = 0xcbf29ce484222325u ^ head->magic ^ ((uint64_t)head->length << 16);
    check = (check ^ head->number) * 0x100000001b3u;
    return (check ^ (uint64_t)head->sent) * 0x100000001b3u;
}

static uint8_t filler[LONGEST_PROBE];

static int set_option(int socket, int level, int name, int value) {
    return setsockopt(socket, level, name, &value, sizeof value) == 0 ? 0 : -errno;
}

static socklen_t fill_address(
    struct sockaddr_storage *storage, int family, const char *address, uint16_t port) {
    memset(storage, 0, sizeof *storage);
    if (family == 4) {
        struct sockaddr_in *in = (struct sockaddr_in *)storage;
        in->sin_family = AF_INET;
        in->sin_port = htons(port);
        if (address && inet_pton(AF_INET, address, &in->sin_addr) != 1) return 0;
        return sizeof *in;
    }
    struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)storage;
    in6->sin6_family = AF_INET6;
    in6->sin6_port = htons(port);
    if (address && inet_pton(AF_INET6, address, &in6->sin6_addr) != 1) return 0;
    return sizeof *in6;
}

static int fail(int socket) {
    int reason = errno;
    close(socket);
    return -reason;
}

static int open_bound(int family, int type, uint16_t port) {
    int domain = family == 4 ? AF_INET : AF_INET6;
    int result = socket(domain, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (result < 0) return -errno;
    if (family == 6) set_option(result, IPPROTO_IPV6, IPV6_V6ONLY, 1);
    if (type == SOCK_STREAM) set_option(result, SOL_SOCKET, SO_REUSEADDR, 1);
    struct sockaddr_storage any;
    socklen_t length = fill_address(&any, family, NULL, port);
    if (bind(result, (struct sockaddr *)&any, length) != 0) return fail(result);
    return result;
}

int lc_probe_open(int family, uint16_t port) {
    int result = open_bound(family, SOCK_DGRAM, port);
    if (result < 0) return result;
    // What a full buffer of ours dropped would look like loss on the link. Only root may have
    // more than the system's maximum.
    if (set_option(result, SOL_SOCKET, SO_RCVBUFFORCE, BUFFER_BYTES) != 0)
        set_option(result, SOL_SOCKET, SO_RCVBUF, BUFFER_BYTES);
    if (set_option(result, SOL_SOCKET, SO_SNDBUFFORCE, BUFFER_BYTES) != 0)
        set_option(result, SOL_SOCKET, SO_SNDBUF, BUFFER_BYTES);
    set_option(result, SOL_SOCKET, SO_RXQ_OVFL, 1);
    if (family == 4) {
        set_option(result, SOL_SOCKET, SO_NO_CHECK, 1);
    } else {
        set_option(result, IPPROTO_UDP, UDP_NO_CHECK6_TX, 1);
        set_option(result, IPPROTO_UDP, UDP_NO_CHECK6_RX, 1);
    }
    int status = set_option(result, SOL_SOCKET, SO_TIMESTAMPNS, 1);
    if (status != 0) {
        close(result);
        return status;
    }
    return result;
}

int lc_probe_connect(int socket, int family, const char *address, uint16_t port) {
    struct sockaddr_storage peer;
    socklen_t length = fill_address(&peer, family, address, port);
    if (length == 0) return -EINVAL;
    return connect(socket, (struct sockaddr *)&peer, length) == 0 ? 0 : -errno;
}

int lc_probe_send(int socket, uint32_t number, int length) {
    if (length < LC_PROBE_HEAD || length > LONGEST_PROBE) return -EINVAL;
    struct head head = {.magic = PROBE_MAGIC, .length = (uint16_t)length, .number = number};
    struct iovec parts[2] = {
        {&head, sizeof head}, {filler, (size_t)length - sizeof head}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    head.sent = now(CLOCK_REALTIME);
    head.check = check_of(&head);
    if (sendmsg(socket, &message, MSG_NOSIGNAL) >= 0) return 1;
    switch (errno) {
    case EAGAIN:
    case ENOBUFS:
    case EINTR:
        return 0;
    // What an earlier packet met with; this one was not sent either.
    case ECONNREFUSED:
    case EHOSTUNREACH:
        return 0;
    default:
        return -errno;
    }
}

static void read_control(struct msghdr *message, struct lc_probe_arrival *arrival) {
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
        if (part->cmsg_level != SOL_SOCKET) continue;
        if (part->cmsg_type == SCM_TIMESTAMPNS) {
            struct timespec time;
            memcpy(&time, CMSG_DATA(part), sizeof time);
            arrival->received = time.tv_sec * 1000000000LL + time.tv_nsec;
        } else if (part->cmsg_type == SO_RXQ_OVFL) {
            memcpy(&arrival->overflows, CMSG_DATA(part), sizeof arrival->overflows);
        }
    }
}

static int is_intact(const uint8_t *payload, size_t length, struct head *head) {
    if (length < sizeof *head) return 0;
    memcpy(head, payload, sizeof *head);
    return head->magic == PROBE_MAGIC && head->length == length && head->check == check_of(head)
        && memcmp(payload + sizeof *head, filler, length - sizeof *head) == 0;
}

int lc_probe_receive(int socket, struct lc_probe_arrival *arrivals, int capacity) {
    static uint8_t payloads[BATCH][LONGEST_PROBE];
    static uint8_t controls[BATCH][128] __attribute__((aligned(8)));
    struct iovec parts[BATCH];
    struct mmsghdr messages[BATCH];
    if (capacity > BATCH) capacity = BATCH;
    for (int i = 0; i < capacity; i++) {
        parts[i] = (struct iovec){payloads[i], LONGEST_PROBE};
        messages[i] = (struct mmsghdr){.msg_hdr = {
            .msg_iov = &parts[i], .msg_iovlen = 1,
            .msg_control = controls[i], .msg_controllen = sizeof controls[i]}};
    }
    int count = recvmmsg(socket, messages, (unsigned)capacity, MSG_DONTWAIT, NULL);
    if (count < 0) {
        // A probe that met with nobody says so on the socket that sent it.
        int is_nothing = errno == EAGAIN || errno == EINTR || errno == ECONNREFUSED
            || errno == EHOSTUNREACH;
        return is_nothing ? 0 : -errno;
    }
    for (int i = 0; i < count; i++) {
        struct head head = {0};
        struct lc_probe_arrival *arrival = &arrivals[i];
        *arrival = (struct lc_probe_arrival){0};
        read_control(&messages[i].msg_hdr, arrival);
        arrival->is_intact = is_intact(payloads[i], messages[i].msg_len, &head);
        arrival->number = head.number;
        arrival->sent = head.sent;
    }
    return count;
}

int lc_stream_listen(int family, uint16_t port) {
    int result = open_bound(family, SOCK_STREAM, port);
    if (result < 0) return result;
    return listen(result, 8) == 0 ? result : fail(result);
}

// 0 when `descriptor` is ready, or -errno.
static int wait_for_one(int descriptor, short events, int64_t until) {
    struct pollfd entry = {descriptor, events, 0};
    int count = wait_for(&entry, 1, until);
    return count > 0 ? 0 : count == 0 ? -ETIMEDOUT : count;
}

// Closing forgets what was not sent yet: it would go on filling the link.
static int ready_stream(int stream) {
    struct linger at_once = {1, 0};
    setsockopt(stream, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    return stream;
}

int lc_stream_accept(int listener, int64_t until) {
    int status = wait_for_one(listener, POLLIN, until);
    if (status != 0) return status;
    int stream = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    return stream >= 0 ? ready_stream(stream) : -errno;
}

int lc_stream_connect(int family, const char *address, uint16_t port, int64_t until) {
    struct sockaddr_storage peer;
    socklen_t length = fill_address(&peer, family, address, port);
    if (length == 0) return -EINVAL;
    int stream = socket(
        family == 4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (stream < 0) return -errno;
    ready_stream(stream);
    if (connect(stream, (struct sockaddr *)&peer, length) == 0) return stream;
    if (errno != EINPROGRESS) return fail(stream);
    int status = wait_for_one(stream, POLLOUT, until);
    int reason = 0;
    socklen_t size = sizeof reason;
    if (status == 0) {
        getsockopt(stream, SOL_SOCKET, SO_ERROR, &reason, &size);
        status = -reason;
    }
    if (status == 0) return stream;
    close(stream);
    return status;
}

int64_t lc_stream_round_trip(int stream) {
    struct tcp_info info = {0};
    socklen_t length = sizeof info;
    return getsockopt(stream, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 ? info.tcpi_rtt : 0;
}

int64_t lc_stream_write(int stream, int64_t until) {
    static uint8_t zeros[65536];
    int status = wait_for_one(stream, POLLOUT, until);
    if (status != 0) return status;
    ssize_t count = send(stream, zeros, sizeof zeros, MSG_NOSIGNAL);
    return count >= 0 ? count : errno == EAGAIN ? 0 : -errno;
}

int64_t lc_stream_read(int stream, int64_t until) {
    static uint8_t buffer[262144];
    int status = wait_for_one(stream, POLLIN, until);
    if (status != 0) return status;
    ssize_t count = recv(stream, buffer, sizeof buffer, 0);
    return count >= 0 ? count : -errno;
}
