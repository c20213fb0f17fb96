#define _GNU_SOURCE
#include "clinux_process.h"

#include "clinux_relay.h"
#include "hurry.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// What the caller asks of the thread that forks. It lives until `done`.
struct request {
    int namespaces;
    struct lc_network_supply supply;
    // What the process between tells; NULL if there is to be none.
    void (*report)(void *, struct lc_forked);
    int as_root;
    void (*child)(void *);
    void *context;
    // The caller's mask, which the child gets.
    sigset_t signals;
    struct hurry hurry;
    struct lc_forked outcome;
    sem_t done;
};

static struct lc_forked outcome(enum lc_fork_step step, pid_t process) {
    return (struct lc_forked){process < 0 ? -errno : process, step};
}

static struct lc_forked make_child(struct request *request) {
    if (request->namespaces && unshare(request->namespaces))
        return outcome(LC_FORK_NAMESPACES, -1);
    pid_t pid = fork();
    if (pid == 0) {
        lc_inherit_hurry(request->hurry, 0);
        pthread_sigmask(SIG_SETMASK, &request->signals, NULL);
        request->child(request->context);
        _exit(1);
    }
    return outcome(LC_FORK_PROCESS, pid);
}

// Descriptors of namespaces come from a socket in each, not from /proc: if the mounts are the child's,
// too, it replaces that.
static void make_networks(int count, int supply) {
    for (; count > 0 && unshare(CLONE_NEWNET) == 0; count--) {
        int inside = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        int network = inside < 0 ? -1 : ioctl(inside, SIOCGSKNS);
        int sent = network < 0 ? -1 : lc_send_descriptors(supply, &network, 1);
        close(network);
        close(inside);
        if (sent < 0) return;
    }
}

static void attend(pid_t child, struct lc_network_supply supply) {
    if (supply.count > 0) {
        if (child > 0) make_networks(supply.count, supply.socket);
        close(supply.socket);
    }
    lc_thread_relax();
    // The child may have asked to die with the thread that made it. Others collect its end.
    siginfo_t end;
    while (child > 0 && waitid(P_PID, (id_t)child, &end, WEXITED | WNOWAIT) && errno == EINTR) {}
}

static int write_text(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return -1;
    ssize_t written = write(file, text, strlen(text));
    int error = errno;
    close(file);
    errno = error;
    return written < 0 ? -1 : 0;
}

struct lc_forked lc_make_user_namespace(int as_root) {
    uid_t user = getuid();
    gid_t group = getgid();
    if (unshare(CLONE_NEWUSER)) return outcome(LC_FORK_USER_NAMESPACE, -1);
    // Without denying setgroups(2), only root may map a group.
    if (write_text("/proc/self/setgroups", "deny")) return outcome(LC_FORK_SETGROUPS, -1);
    char map[32];
    snprintf(map, sizeof map, "%u %u 1", as_root ? 0 : user, user);
    if (write_text("/proc/self/uid_map", map)) return outcome(LC_FORK_USER_MAP, -1);
    snprintf(map, sizeof map, "%u %u 1", as_root ? 0 : group, group);
    if (write_text("/proc/self/gid_map", map)) return outcome(LC_FORK_GROUP_MAP, -1);
    return outcome(LC_FORK_PROCESS, 0);
}

// Only a process with a single thread may make a user namespace. This one runs no Swift before the
// child is on its way: what Swift's runtime then touches would be copied twice.
static void stand_between(struct request *request) {
    lc_die_with_parent();
    pthread_sigmask(SIG_SETMASK, &request->signals, NULL);
    struct lc_forked forked = lc_make_user_namespace(request->as_root);
    if (forked.process == 0) forked = make_child(request);
    // First of all: the caller has to know the child before that has all its networks.
    request->report(request->context, forked);
    attend(forked.process, request->supply);
    struct lc_child_exit end = {0};
    if (forked.process > 0) lc_reap(forked.process, 1, &end);
    _exit(end.signal ? 128 + end.signal : end.code);
}

static void *serve(void *argument) {
    struct request *request = argument;
    lc_inherit_hurry(request->hurry, 1);
    struct lc_network_supply supply = request->supply;
    if (request->report) {
        pid_t between = fork();
        if (between == 0) stand_between(request);
        request->outcome = outcome(LC_FORK_PROCESS, between);
        if (supply.count > 0) close(supply.socket);
        supply.count = 0;
    } else {
        request->outcome = make_child(request);
    }
    pid_t pid = request->outcome.process;
    sem_post(&request->done);
    attend(pid, supply);
    return NULL;
}

static struct lc_forked carry_out(struct request *request) {
    request->hurry = lc_current_hurry();
    sem_init(&request->done, 0, 0);
    // Signals are the other threads' business.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &request->signals);
    lc_bequeath_hurry(1);
    pthread_t thread;
    int error = pthread_create(&thread, NULL, serve, request);
    lc_bequeath_hurry(0);
    if (error) {
        request->outcome.process = -error;
        if (request->supply.count > 0) close(request->supply.socket);
    } else {
        pthread_detach(thread);
        while (sem_wait(&request->done) && errno == EINTR) {}
    }
    pthread_sigmask(SIG_SETMASK, &request->signals, NULL);
    sem_destroy(&request->done);
    return request->outcome;
}

struct lc_forked lc_fork(int namespaces, struct lc_network_supply supply, void (*child)(void *),
                         void *context) {
    struct request request = {
        .namespaces = namespaces, .supply = supply, .child = child, .context = context};
    return carry_out(&request);
}

struct lc_forked lc_fork_as_owner(int as_root, int namespaces, struct lc_network_supply supply,
                                  void (*report)(void *, struct lc_forked), void (*child)(void *),
                                  void *context) {
    struct request request = {
        .namespaces = namespaces, .supply = supply, .report = report, .as_root = as_root,
        .child = child, .context = context};
    return carry_out(&request);
}
