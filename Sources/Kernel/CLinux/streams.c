#define _GNU_SOURCE
#include "clinux_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Some C library and kernel header versions in use do not define these.
#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif
#ifndef SECCOMP_ADDFD_FLAG_SEND
#define SECCOMP_ADDFD_FLAG_SEND (1UL << 1)
#endif

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv)
#define OWN_ARCHITECTURE AUDIT_ARCH_RISCV64
#else
#error "which architecture does seccomp call this one?"
#endif

// The lower half of an argument: the kernel reads no more for an int.
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARGUMENT(n) (offsetof(struct seccomp_data, args[n]))
#else
#define ARGUMENT(n) (offsetof(struct seccomp_data, args[n]) + 4)
#endif

// socket(AF_INET or AF_INET6, SOCK_STREAM | any flags, 0 or IPPROTO_TCP)
static struct sock_filter stream_filter[] = {
    /* 0 */ BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
    /* 1 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 0, 11),
    /* 2 */ BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    /* 3 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 9),
    /* 4 */ BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT(0)),
    /* 5 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 1, 0),
    /* 6 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 0, 6),
    /* 7 */ BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT(1)),
    /* 8 */ BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xf),
    /* 9 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SOCK_STREAM, 0, 3),
    /* 10 */ BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT(2)),
    /* 11 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 2, 0),
    /* 12 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_TCP, 1, 0),
    /* 13 */ BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    /* 14 */ BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
};

int lc_intercept_streams(void) {
    struct sock_fprog program = {sizeof stream_filter / sizeof *stream_filter, stream_filter};
    // Without SPEC_ALLOW, old kernels slow down every program that has a filter.
    unsigned long flags =
        SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
    // Before Linux 5.19 signals interrupt the call until it is answered; later only until the
    // request is received.
    long fd = syscall(
        SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
        &program);
    if (fd < 0 && errno == EINVAL)
        fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
    if (fd < 0) return -errno;
    fcntl((int)fd, F_SETFD, FD_CLOEXEC);
    return (int)fd;
}

int lc_identify_namespace(int fd, struct lc_namespace *found) {
    struct stat status;
    if (fstat(fd, &status)) return -errno;
    *found = (struct lc_namespace){.device = status.st_dev, .inode = status.st_ino};
    return 0;
}

// Moves to the network namespace of a thread if it is one of these. The thread may have ended and
// another may have its number; the caller then gets an error and must not confuse the two.
static int follow(
    int fd, const struct seccomp_notif *request, const struct lc_namespace *namespaces,
    int count) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/ns/net", request->pid);
    int namespace = open(path, O_RDONLY | O_CLOEXEC);
    if (namespace < 0) return 0;
    struct lc_namespace found;
    uint64_t id = request->id;
    int is_ours = 0;
    if (lc_identify_namespace(namespace, &found) == 0 &&
        ioctl(fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0) {
        for (int i = 0; i < count; i++)
            is_ours |= found.device == namespaces[i].device && found.inode == namespaces[i].inode;
    }
    if (is_ours) is_ours = setns(namespace, CLONE_NEWNET) == 0;
    close(namespace);
    return is_ours;
}

// Gives the asking thread a socket. Returns 0, or the result that the thread gets instead.
static int give_socket(int fd, const struct seccomp_notif *request) {
    int domain = (int)request->data.args[0];
    int type = (int)request->data.args[1];
    int made = socket(domain, (type & ~SOCK_CLOEXEC) | SOCK_CLOEXEC, IPPROTO_MPTCP);
    if (made < 0) return -errno;
    struct seccomp_notif_addfd given = {
        .id = request->id, .flags = SECCOMP_ADDFD_FLAG_SEND, .srcfd = (uint32_t)made,
        .newfd_flags = type & SOCK_CLOEXEC ? O_CLOEXEC : 0};
    int status = ioctl(fd, SECCOMP_IOCTL_NOTIF_ADDFD, &given) < 0 ? -errno : 0;
    close(made);
    return status;
}

int lc_pass_stream_request_on(int fd, int queue) {
    struct seccomp_notif request = {0};
    if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &request)) {
        // The asking thread has ended, or a signal interrupted it.
        return errno == EINTR || errno == ENOENT ? 0 : -errno;
    }
    ssize_t written;
    do written = write(queue, &request, sizeof request);
    while (written < 0 && errno == EINTR);
    return written < 0 ? -errno : 0;
}

int lc_answer_stream_request(
    int fd, int queue, const struct lc_namespace *namespaces, int count) {
    struct seccomp_notif request;
    ssize_t length = read(queue, &request, sizeof request);
    if (length < 0) return errno == EINTR ? 0 : -errno;
    if (length != sizeof request) return -EPIPE;
    struct seccomp_notif_resp answer = {
        .id = request.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    if (follow(fd, &request, namespaces, count)) {
        int status = give_socket(fd, &request);
        if (status == 0) return 0;
        if (status == -EMFILE) answer = (struct seccomp_notif_resp){.id = request.id, .error = status};
    }
    // Fails if no thread waits for the answer any more.
    ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    return 0;
}

int lc_probe_multipath(void) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_MPTCP);
    if (fd < 0) return -errno;
    close(fd);
    return 0;
}
