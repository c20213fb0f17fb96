#define _GNU_SOURCE
#include "clinux.h"
#include "clinux_guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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
        status = 0;
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

static void close_range_of(int first, int last) {
    if (first > last) return;
    if (syscall(SYS_close_range, (unsigned)first, (unsigned)last, 0) == 0) return;
    // Kernels before 5.9.
    struct rlimit limit;
    int end = getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur > 65536
        ? 65536 : (int)limit.rlim_cur;
    for (int fd = first; fd <= last && fd < end; fd++) close(fd);
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
        close_range_of(next, kept[i] - 1);
        next = kept[i] + 1;
    }
    close_range_of(next, INT_MAX);
}

static void execute(const struct lc_guarded *guarded) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    // Some programs lose this by changing their privileges: the guardian kills as well.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (guarded->input >= 0) dup2(guarded->input, 0);
    dup2(guarded->output, 1);
    dup2(guarded->output, 2);
    if (guarded->ready >= 0) {
        // dup2 to itself would leave it to be closed on exec.
        if (guarded->ready == guarded->ready_number) fcntl(guarded->ready, F_SETFD, 0);
        else dup2(guarded->ready, guarded->ready_number);
    }
    execve(guarded->path, guarded->arguments, guarded->environment);
    _exit(127);
}

static void ignore(int signal) { (void)signal; }

static void guard(const struct lc_guarded *guarded) {
    setsid();
    prctl(PR_SET_NAME, "linkcond guard");
    for (int signal = 1; signal < 32; signal++)
        if (signal != SIGKILL && signal != SIGSTOP) sigaction(
            signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = ignore}, NULL);
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &all, NULL);

    enum { most_kept = 64 };
    int kept[most_kept];
    int count = 0;
    kept[count++] = guarded->lifeline;
    kept[count++] = guarded->output;
    if (guarded->input >= 0) kept[count++] = guarded->input;
    if (guarded->kept >= 0) kept[count++] = guarded->kept;
    if (guarded->ready >= 0) kept[count++] = guarded->ready;
    for (int i = 0; i < guarded->parameter_count && count + 3 <= most_kept; i++) {
        kept[count++] = guarded->parameters[i].directory;
        kept[count++] = guarded->parameters[i].users;
        kept[count++] = guarded->parameters[i].parameter;
    }
    close_others(kept, count);
    int nothing = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++) dup2(nothing, fd);
    if (nothing > 2) close(nothing);

    pid_t program = fork();
    if (program == 0) execute(guarded);
    // The program alone has these now, so that their ends are seen.
    close(guarded->output);
    if (guarded->ready >= 0) close(guarded->ready);
    if (guarded->input >= 0) close(guarded->input);

    struct pollfd lifeline = {.fd = guarded->lifeline, .events = POLLIN};
    sigset_t all_but_child = all;
    sigdelset(&all_but_child, SIGCHLD);
    while (program > 0 && waitpid(program, NULL, WNOHANG) == 0) {
        if (ppoll(&lifeline, 1, NULL, &all_but_child) > 0) break;
    }
    for (int i = 0; i < guarded->parameter_count; i++)
        lc_release_parameter(&guarded->parameters[i]);
    if (program > 0) {
        kill(-program, SIGKILL);
        kill(program, SIGKILL);
        waitpid(program, NULL, 0);
    }
    _exit(0);
}

int lc_start_guarded(const struct lc_guarded *guarded) {
    sigset_t all, before;
    // A handler of the caller's must not run in the new process.
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t guardian = fork();
    int status = guardian < 0 ? -errno : guardian;
    if (guardian == 0) guard(guarded);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}
