#define _GNU_SOURCE
#include "clinux_process.h"

#include "clinux_relay.h"
#include "hurry.h"

#include <errno.h>
#include <linux/sockios.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// What the caller asks of the thread that forks. It lives until `done`.
struct request {
    int namespaces;
    struct lc_network_supply supply;
    void (*child)(void *);
    void *context;
    // The caller's mask, which the child gets.
    sigset_t signals;
    struct hurry hurry;
    struct lc_forked outcome;
    sem_t done;
};

static void make_child(struct request *request) {
    lc_inherit_hurry(request->hurry);
    if (request->namespaces && unshare(request->namespaces)) {
        request->outcome = (struct lc_forked){-errno, 1};
        return;
    }
    pid_t pid = fork();
    if (pid == 0) {
        lc_inherit_hurry(request->hurry);
        pthread_sigmask(SIG_SETMASK, &request->signals, NULL);
        request->child(request->context);
        _exit(1);
    }
    request->outcome = (struct lc_forked){pid < 0 ? -errno : pid, 0};
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

static void *serve(void *argument) {
    struct request *request = argument;
    make_child(request);
    pid_t pid = request->outcome.process;
    struct lc_network_supply supply = request->supply;
    sem_post(&request->done);
    if (supply.count > 0) {
        if (pid > 0) make_networks(supply.count, supply.socket);
        close(supply.socket);
    }
    lc_thread_relax();
    // The child may have asked to die with the thread that made it. Others collect its end.
    siginfo_t end;
    while (pid > 0 && waitid(P_PID, (id_t)pid, &end, WEXITED | WNOWAIT) && errno == EINTR) {}
    return NULL;
}

struct lc_forked lc_fork(int namespaces, struct lc_network_supply supply, void (*child)(void *),
                         void *context) {
    struct request request = {
        .namespaces = namespaces, .supply = supply, .child = child, .context = context,
        .hurry = lc_current_hurry()};
    sem_init(&request.done, 0, 0);
    // Signals are the other threads' business.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &request.signals);
    pthread_t thread;
    int error = pthread_create(&thread, NULL, serve, &request);
    if (error) {
        request.outcome.process = -error;
        if (supply.count > 0) close(supply.socket);
    } else {
        pthread_detach(thread);
        while (sem_wait(&request.done) && errno == EINTR) {}
    }
    pthread_sigmask(SIG_SETMASK, &request.signals, NULL);
    sem_destroy(&request.done);
    return request.outcome;
}
