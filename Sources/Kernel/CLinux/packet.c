#define _GNU_SOURCE
#include "clinux_packet.h"

#include "endpoint.h"
#include "schedule.h"

#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>

// Enough for the bursts of any link, while the loop does not get to run.
enum { buffer_bytes = 64 << 20 };

static int bind_to(int fd, int interface, int protocol) {
    struct sockaddr_ll address = {
        .sll_family = AF_PACKET, .sll_ifindex = interface, .sll_protocol = htons(protocol)};
    return bind(fd, (struct sockaddr *)&address, sizeof address);
}

static int open_receiver(void) {
    // Protocol zero: nothing comes in before the options are set.
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || set_option(fd, SOL_PACKET, PACKET_VNET_HDR, 1) != 0
        || set_option(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1) != 0
        || set_option(fd, SOL_PACKET, PACKET_AUXDATA, 1) != 0
        || set_option(fd, SOL_SOCKET, SO_TIMESTAMPNS, 1) != 0)
        return give_up(fd);
    make_room(fd, SO_RCVBUFFORCE, SO_RCVBUF, buffer_bytes);
    return fd;
}

#ifndef PACKET_FANOUT_FLAG_IGNORE_OUTGOING // Linux 6.2
#define PACKET_FANOUT_FLAG_IGNORE_OUTGOING 0x4000
#endif

static int filter(int fd, struct sock_filter *code, unsigned short length) {
    struct sock_fprog program = {.len = length, .filter = code};
    return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

// A socket outside its group would receive every frame a second time.
static int ignore_all(int fd) {
    struct sock_filter code[] = {BPF_STMT(BPF_RET | BPF_K, 0)};
    return filter(fd, code, 1);
}

// On older kernels a group receives what the interface sends, whatever its sockets ask for.
static int ignore_outgoing(int fd) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, SKF_AD_OFF + SKF_AD_PKTTYPE),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PACKET_OUTGOING, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
        BPF_STMT(BPF_RET | BPF_K, 0)};
    return filter(fd, code, 4);
}

// Adds sockets to a group in which one receives the frames until it is nearly full, then the next.
static int add_members(int interface, int *fds, int count) {
    int group = (PACKET_FANOUT_ROLLOVER | PACKET_FANOUT_FLAG_UNIQUEID
                 | PACKET_FANOUT_FLAG_IGNORE_OUTGOING) << 16;
    socklen_t size = sizeof group;
    // Before Linux 4.12 there are no such groups, and one socket has to do.
    if (ignore_outgoing(fds[0]) != 0
        || setsockopt(fds[0], SOL_PACKET, PACKET_FANOUT, &group, sizeof group) != 0
        || getsockopt(fds[0], SOL_PACKET, PACKET_FANOUT, &group, &size) != 0)
        return 1;
    group &= ~(PACKET_FANOUT_FLAG_UNIQUEID << 16);
    for (int i = 1; i < count; i++) {
        int fd = open_receiver();
        if (fd < 0) return i;
        if (ignore_all(fd) != 0 || bind_to(fd, interface, ETH_P_ALL) != 0
            || setsockopt(fd, SOL_PACKET, PACKET_FANOUT, &group, sizeof group) != 0
            || ignore_outgoing(fd) != 0) {
            close(fd);
            return i;
        }
        fds[i] = fd;
    }
    return count;
}

int lc_packet_receiver(int interface, int *fds) {
    const int wanted = 16 << 20;
    fds[0] = open_receiver();
    if (fds[0] < 0) return fds[0];
    if (bind_to(fds[0], interface, ETH_P_ALL) != 0) return give_up(fds[0]);
    int room = wanted;
    socklen_t size = sizeof room;
    getsockopt(fds[0], SOL_SOCKET, SO_RCVBUF, &room, &size);
    if (room >= wanted) return 1;
    int count = room > 0 ? wanted / room + 1 : 1;
    return add_members(interface, fds, count < LC_PACKET_SOCKETS ? count : LC_PACKET_SOCKETS);
}

int lc_packet_witness(int interface) {
    int fd = open_receiver();
    if (fd < 0) return fd;
    if (set_option(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, 0) != 0
        || bind_to(fd, interface, ETH_P_ALL) != 0)
        return give_up(fd);
    return fd;
}

int lc_packet_sender(int interface, int bypass_qdisc, uint32_t mark) {
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || set_option(fd, SOL_PACKET, PACKET_VNET_HDR, 1) != 0
        || (bypass_qdisc && set_option(fd, SOL_PACKET, PACKET_QDISC_BYPASS, 1) != 0)
        || (mark && set_option(fd, SOL_SOCKET, SO_MARK, (int)mark) != 0))
        return give_up(fd);
    make_room(fd, SO_SNDBUFFORCE, SO_SNDBUF, buffer_bytes);
    return bind_to(fd, interface, 0) == 0 ? fd : give_up(fd);
}

int lc_beacon_socket(void) {
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    return fd < 0 || set_option(fd, SOL_PACKET, PACKET_QDISC_BYPASS, 1) != 0 ? give_up(fd) : fd;
}

int lc_beacon_send(int fd, int interface, const void *frame, size_t length) {
    struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_ifindex = interface};
    ssize_t sent = sendto(fd, frame, length, 0, (struct sockaddr *)&address, sizeof address);
    return sent < 0 ? -errno : 0;
}

union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(struct tpacket_auxdata)) + CMSG_SPACE(sizeof(struct timespec))];
};

static void describe(struct mmsghdr *message, struct lc_frame *frame) {
    *frame = (struct lc_frame){
        .length = message->msg_len,
        .is_truncated = (message->msg_hdr.msg_flags & MSG_TRUNC) != 0};
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&message->msg_hdr); c;
         c = CMSG_NXTHDR(&message->msg_hdr, c)) {
        if (c->cmsg_level == SOL_PACKET && c->cmsg_type == PACKET_AUXDATA) {
            struct tpacket_auxdata data;
            memcpy(&data, CMSG_DATA(c), sizeof data);
            if (data.tp_status & TP_STATUS_VLAN_VALID) {
                frame->vlan_tci = data.tp_vlan_tci;
                frame->vlan_protocol = data.tp_status & TP_STATUS_VLAN_TPID_VALID
                    ? data.tp_vlan_tpid : ETH_P_8021Q;
            }
        } else if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
            struct timespec time;
            memcpy(&time, CMSG_DATA(c), sizeof time);
            frame->realtime = time.tv_sec * 1000000000LL + time.tv_nsec;
        }
    }
}

int lc_packet_receive(int fd, struct iovec *pieces, unsigned count, struct lc_frame *frames) {
    struct mmsghdr messages[LC_PACKET_BATCH];
    union control control[LC_PACKET_BATCH];
    if (count > LC_PACKET_BATCH) count = LC_PACKET_BATCH;
    for (unsigned i = 0; i < count; i++)
        messages[i] = (struct mmsghdr){.msg_hdr = {
            .msg_iov = &pieces[2 * i], .msg_iovlen = 2,
            .msg_control = &control[i], .msg_controllen = sizeof control[i]}};
    int received = recvmmsg(fd, messages, count, MSG_DONTWAIT, NULL);
    if (received < 0) return -errno;
    for (int i = 0; i < received; i++) describe(&messages[i], &frames[i]);
    return received;
}

int lc_packet_oldest(const int *fds, int count) {
    int oldest = -EAGAIN;
    int64_t earliest = INT64_MAX;
    for (int i = 0; i < count; i++) {
        char byte[16];
        union control control;
        struct iovec piece = {byte, sizeof byte};
        struct mmsghdr message = {.msg_hdr = {
            .msg_iov = &piece, .msg_iovlen = 1,
            .msg_control = &control, .msg_controllen = sizeof control}};
        struct lc_frame frame;
        if (recvmsg(fds[i], &message.msg_hdr, MSG_DONTWAIT | MSG_PEEK) < 0) continue;
        describe(&message, &frame);
        if (frame.realtime < earliest) {
            earliest = frame.realtime;
            oldest = i;
        }
    }
    return oldest;
}

int lc_packet_send(int fd, struct iovec *pieces, unsigned count) {
    struct mmsghdr messages[LC_PACKET_BATCH];
    if (count > LC_PACKET_BATCH) count = LC_PACKET_BATCH;
    for (unsigned i = 0; i < count; i++)
        messages[i] = (struct mmsghdr){.msg_hdr = {
            .msg_iov = &pieces[2 * i], .msg_iovlen = pieces[2 * i + 1].iov_len ? 2 : 1}};
    int sent = sendmmsg(fd, messages, count, MSG_DONTWAIT);
    return sent < 0 ? -errno : sent;
}

// The destination of an IP packet: the size of the address, or zero if this is not IP.
static socklen_t read_destination(const struct iovec *head, struct sockaddr_storage *address) {
    const unsigned char *packet = head->iov_base;
    memset(address, 0, sizeof *address);
    if (head->iov_len >= 20 && packet[0] >> 4 == 4) {
        struct sockaddr_in *to = (struct sockaddr_in *)address;
        to->sin_family = AF_INET;
        memcpy(&to->sin_addr, packet + 16, 4);
        return sizeof *to;
    }
    if (head->iov_len >= 40 && packet[0] >> 4 == 6) {
        struct sockaddr_in6 *to = (struct sockaddr_in6 *)address;
        to->sin6_family = AF_INET6;
        memcpy(&to->sin6_addr, packet + 24, 16);
        return sizeof *to;
    }
    return 0;
}

int lc_local_send(int ipv4, int ipv6, struct iovec *pieces, unsigned count) {
    struct mmsghdr messages[LC_PACKET_BATCH];
    struct sockaddr_storage addresses[LC_PACKET_BATCH];
    if (count > LC_PACKET_BATCH) count = LC_PACKET_BATCH;
    unsigned ready = 0;
    for (; ready < count; ready++) {
        struct iovec *piece = &pieces[2 * ready];
        socklen_t size = read_destination(piece, &addresses[ready]);
        if (size == 0 || addresses[ready].ss_family != addresses[0].ss_family) break;
        messages[ready] = (struct mmsghdr){.msg_hdr = {
            .msg_name = &addresses[ready], .msg_namelen = size,
            .msg_iov = piece, .msg_iovlen = piece[1].iov_len ? 2 : 1}};
    }
    if (ready == 0) return count == 0 ? 0 : -EINVAL;
    int fd = addresses[0].ss_family == AF_INET ? ipv4 : ipv6;
    int sent = sendmmsg(fd, messages, ready, MSG_DONTWAIT);
    return sent < 0 ? -errno : sent;
}

int lc_packet_drops(int fd) {
    struct tpacket_stats statistics = {0};
    socklen_t size = sizeof statistics;
    if (getsockopt(fd, SOL_PACKET, PACKET_STATISTICS, &statistics, &size) != 0) return -errno;
    return statistics.tp_drops & 0x7fffffff;
}

static int wait_for(int epoll, int fd) {
    struct epoll_event interest = {.events = EPOLLIN, .data.fd = fd};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &interest);
}

int lc_wait_create(const int *readable, int count, int timer, int event) {
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (epoll < 0 || wait_for(epoll, timer) != 0 || wait_for(epoll, event) != 0)
        return give_up(epoll);
    for (int i = 0; i < count; i++)
        if (wait_for(epoll, readable[i]) != 0) return give_up(epoll);
    return epoll;
}

int lc_timer_create(void) {
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

static int set_timer(int timer, int64_t deadline) {
    struct itimerspec time = {.it_value = {deadline / 1000000000, deadline % 1000000000}};
    return timerfd_settime(timer, TFD_TIMER_ABSTIME, &time, NULL) == 0 ? 0 : -errno;
}

void lc_timer_set(int timer, int64_t deadline) { set_timer(timer, deadline); }

int lc_timer_wait(int timer, int64_t patience) {
    struct timespec rest = {0};
    if (patience > 0)
        rest = (struct timespec){patience / 1000000000, patience % 1000000000};
    struct pollfd fd = {.fd = timer, .events = POLLIN};
    uint64_t ignored;
    return ppoll(&fd, 1, &rest, NULL) == 1 && read(timer, &ignored, sizeof ignored) > 0;
}

int lc_event_create(void) {
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

int lc_event_signal(int event) {
    return eventfd_write(event, 1) == 0 ? 0 : -errno;
}

int64_t lc_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int lc_wait(int epoll, int timer, int event, int64_t deadline, int64_t *armed) {
    if (deadline != 0 && deadline <= lc_clock(CLOCK_MONOTONIC)) return 1;
    if (deadline != *armed) {
        int status = set_timer(timer, deadline);
        if (status != 0) return status;
        *armed = deadline;
    }
    struct epoll_event events[4];
    int readable = 0;
    int count = epoll_wait(epoll, events, 4, -1);
    if (count < 0) return -errno;
    for (int i = 0; i < count; i++) {
        eventfd_t ignored;
        if (events[i].data.fd == event) eventfd_read(event, &ignored);
        // A timer that has fired stays ready until it is set again.
        else if (events[i].data.fd == timer) *armed = -1;
        else readable = 1;
    }
    return readable;
}

// As in linux/sched/types.h, which conflicts with the C library's headers.
int lc_thread_make_punctual(int priority) {
    prctl(PR_SET_TIMERSLACK, 1UL);
    struct sched_param parameters = {.sched_priority = priority};
    if (priority > 0 && pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters) == 0)
        return 1;
    struct schedule turns = {.size = sizeof turns, .policy = SCHED_OTHER, .runtime = SHORT_TURN};
    syscall(SYS_sched_setattr, 0, &turns, 0);
    return 0;
}

int lc_thread_set_name(const char *name) {
    return -pthread_setname_np(pthread_self(), name);
}
