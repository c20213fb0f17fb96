#define _GNU_SOURCE
#include "clinux.h"
#include "clinux_process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

// Everything behind fork() keeps to functions that are safe in a signal handler: the process may
// have other threads.

enum { lock_attempts = 1000, lock_pause_milliseconds = 10 };

/// Takes a lock; gives up after ten seconds, and before if a signal comes that asks this process
/// to end, which only happens where it is blocked.
static int lock(int fd, int operation) {
    for (int attempt = 0; attempt < lock_attempts; attempt++) {
        if (flock(fd, operation | LOCK_NB) == 0) return 0;
        if (errno != EWOULDBLOCK && errno != EINTR) return -errno;
        if (lc_is_told_to_end()) return -EINTR;
        nanosleep(&(struct timespec){.tv_nsec = lock_pause_milliseconds * 1000000L}, NULL);
    }
    return -EWOULDBLOCK;
}

enum { longest_value = 32 };

/// Whether the parameter has another value than `value`, which has one line; what it has goes to
/// `found`.
static int differs(int current, const char *value, char found[longest_value]) {
    memset(found, 0, longest_value);
    if (pread(current, found, longest_value - 1, 0) < 0) return -errno;
    size_t length = strlen(value);
    return strncmp(found, value, length) != 0 || found[length] != '\n';
}

int lc_share_parameter(
    int directory, const char *file, int current, const char *value, int *users) {
    char found[longest_value];
    int status = lock(directory, LOCK_EX);
    if (status < 0) return status;
    int fd = openat(directory, file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    status = fd < 0 ? -errno : lock(fd, LOCK_SH);
    if (status == 0) status = differs(current, value, found);
    if (status == 0) status = pread(fd, found, 1, 0) > 0;
    flock(directory, LOCK_UN);
    if (status < 0 && fd >= 0) close(fd);
    else *users = fd;
    return status;
}

int lc_change_parameter(
    const struct lc_shared_parameter *parameter, int current, const char *value) {
    char found[longest_value];
    char original;
    int status = lock(parameter->directory, LOCK_EX);
    if (status < 0) return status;
    status = differs(current, value, found);
    if (status > 0) {
        // The value is on file before it is changed, so that whoever comes later can restore it.
        ssize_t length = (ssize_t)strlen(found);
        status = 1;
        if ((pread(parameter->users, &original, 1, 0) == 0
                && pwrite(parameter->users, found, (size_t)length, 0) != length)
            || pwrite(parameter->parameter, value, strlen(value), 0) < 0)
            status = -errno;
    }
    flock(parameter->directory, LOCK_UN);
    return status;
}

/// Removes the name of an open file, which nobody else gives to another one meanwhile.
static void remove_name(int fd) {
    char link[32], path[PATH_MAX];
    // snprintf is not safe here.
    size_t length = sizeof "/proc/self/fd/" - 1;
    memcpy(link, "/proc/self/fd/", length);
    char digits[12];
    int count = 0;
    do {
        digits[count++] = (char)('0' + fd % 10);
        fd /= 10;
    } while (fd > 0);
    while (count > 0) link[length++] = digits[--count];
    link[length] = 0;
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size <= 0) return;
    path[size] = 0;
    unlink(path);
}

void lc_release_parameter(const struct lc_shared_parameter *parameter) {
    char original[longest_value];
    // Whoever stands still with the lock must not keep the value from being restored.
    int locked = lock(parameter->directory, LOCK_EX) == 0;
    if (flock(parameter->users, LOCK_EX | LOCK_NB) == 0) {
        ssize_t length = pread(parameter->users, original, sizeof original, 0);
        // An interface that is gone has no parameters any more.
        if (length > 0 && parameter->parameter >= 0
            && pwrite(parameter->parameter, original, (size_t)length, 0) < 0)
            length = 0;
        remove_name(parameter->users);
    }
    if (locked) flock(parameter->directory, LOCK_UN);
}

/// Closes all descriptors above the standard ones but `kept`.
static void close_others(int *kept, int count) {
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && kept[j - 1] > kept[j]; j--) {
            int swapped = kept[j];
            kept[j] = kept[j - 1];
            kept[j - 1] = swapped;
        }
    int next = 3;
    for (int i = 0; i < count; i++) {
        if (kept[i] < next) continue;
        lc_close_range(next, kept[i] - 1, 0);
        next = kept[i] + 1;
    }
    lc_close_range(next, INT_MAX, 0);
}

static void ignore(int signal) { (void)signal; }

void lc_guard(const struct lc_program *program, int report) {
    const struct lc_guardian *guardian = &program->guardian;
    setsid();
    prctl(PR_SET_NAME, "linkcond guard");
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = ignore}, NULL);

    enum { most_kept = 64 };
    int kept[most_kept] = {report, guardian->lifeline, guardian->kept};
    int count = 3;
    for (int i = 0; i < LC_STREAMS; i++) kept[count++] = program->streams[i];
    for (int i = 0; i < guardian->parameter_count && count + 3 <= most_kept; i++) {
        kept[count++] = guardian->parameters[i].directory;
        kept[count++] = guardian->parameters[i].users;
        kept[count++] = guardian->parameters[i].parameter;
    }
    close_others(kept, count);
    int nothing = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++) dup2(nothing, fd);
    if (nothing > 2) close(nothing);

    pid_t child = lc_fork_program(program, report);
    // The program alone has these now, so that their ends are seen.
    close(report);
    for (int i = 0; i < LC_STREAMS; i++) close(program->streams[i]);

    struct pollfd lifeline = {.fd = guardian->lifeline, .events = POLLIN};
    sigset_t all_but_child;
    sigfillset(&all_but_child);
    sigdelset(&all_but_child, SIGCHLD);
    struct lc_child_exit end;
    while (child > 0 && lc_reap(child, 0, &end) == 0) {
        if (ppoll(&lifeline, 1, NULL, &all_but_child) > 0) break;
    }
    for (int i = 0; i < guardian->parameter_count; i++)
        lc_release_parameter(&guardian->parameters[i]);
    if (child > 0) {
        kill(-child, SIGKILL);
        kill(child, SIGKILL);
        lc_reap(child, 1, &end);
    }
    _exit(0);
}
