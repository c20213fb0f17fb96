#define _GNU_SOURCE
#include "clinux_process.h"

#include "hurry.h"
#include "schedule.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

static int result(long value) { return value >= 0 ? (int)value : -errno; }

// What the calling thread was before it went first; of size 0 if it never did.
static __thread struct schedule usual;

// A forked copy has its parent's `usual`, but is ordinary.
static int goes_first(void) {
    return usual.size != 0 && sched_getscheduler(0) == (SCHED_FIFO | SCHED_RESET_ON_FORK);
}

int lc_thread_go_first(void) {
    if (goes_first()) return 0;
    syscall(SYS_sched_getattr, 0, &usual, sizeof usual, 0);
    usual.size = sizeof usual;
    struct sched_param parameters = {.sched_priority = 2};
    return result(sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameters));
}

void lc_thread_go_along(void) {
    if (goes_first()) syscall(SYS_sched_setattr, 0, &usual, 0);
}

static __thread gid_t former_groups[256];
static __thread int former_count;
static __thread int depth;

// The C library's would change all threads.
static int set_groups(const gid_t *groups, int count) {
    return syscall(SYS_setgroups, count, groups) == 0 ? 0 : -errno;
}

int lc_take_file_rights(uid_t user, gid_t group, const gid_t *groups, int count) {
    // Who has them already can be asked to take them once more.
    if (depth > 0) return depth++, 0;
    former_count = getgroups(256, former_groups);
    if (former_count < 0) return -errno;
    int status = set_groups(groups, count);
    if (status != 0) return status;
    depth = 1;
    setfsgid(group);
    setfsuid(user);
    // Neither tells an error; an impossible user changes nothing.
    if (setfsgid((gid_t)-1) == (int)group && setfsuid((uid_t)-1) == (int)user) return 0;
    lc_return_file_rights();
    return -EPERM;
}

int lc_return_file_rights(void) {
    if (--depth > 0) return 0;
    setfsuid(geteuid());
    setfsgid(getegid());
    return set_groups(former_groups, former_count);
}

int lc_unshare(int flags) { return result(unshare(flags)); }

int lc_die_with_parent(void) { return result(prctl(PR_SET_PDEATHSIG, SIGKILL)); }

int lc_mount(const char *source, const char *target, const char *type, unsigned long flags,
             const char *data) {
    return result(mount(source, target, type, flags, data));
}

int lc_memory_file(const char *name) { return result(memfd_create(name, MFD_CLOEXEC)); }

int lc_open_process(pid_t process) { return result(syscall(SYS_pidfd_open, process, 0)); }

int lc_kill_process(int descriptor) {
    return result(syscall(SYS_pidfd_send_signal, descriptor, SIGKILL, NULL, 0));
}

int lc_boot_timer_create(long long seconds, long nanoseconds) {
    int timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC);
    if (timer < 0) return -errno;
    struct itimerspec time = {.it_value = {.tv_sec = seconds, .tv_nsec = nanoseconds}};
    if (timerfd_settime(timer, 0, &time, NULL) == 0) return timer;
    int error = errno;
    close(timer);
    return -error;
}

static int is_ignored(int signal) {
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

int lc_open_signals(const int *signals, int count) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < count; i++) {
        // Whoever was started by nohup is to survive the end of the terminal.
        if (signals[i] != SIGHUP || !is_ignored(SIGHUP)) sigaddset(&set, signals[i]);
    }
    if (sigprocmask(SIG_BLOCK, &set, NULL) != 0) return -errno;
    return result(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

int lc_read_signal(int fd, struct lc_signal *found) {
    struct signalfd_siginfo info;
    ssize_t length = read(fd, &info, sizeof info);
    if (length < 0) return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    found->number = (int)info.ssi_signo;
    found->was_sent = info.ssi_code <= 0;
    return 1;
}

static int has_ended(pid_t pid, int wait) {
    siginfo_t end = {0};
    int options = WEXITED | WNOWAIT | __WALL | (wait ? 0 : WNOHANG);
    int answer;
    do {
        answer = waitid(pid < 0 ? P_ALL : P_PID, pid < 0 ? 0 : (id_t)pid, &end, options);
    } while (answer < 0 && errno == EINTR);
    return answer == 0 && end.si_pid != 0;
}

int lc_reap(pid_t pid, int wait, struct lc_child_exit *found) {
    if (goes_first()) {
        if (!has_ended(pid, wait)) return 0;
        // The kernel forgets what /proc had of the child. If somebody is just looking there it tries
        // again and again, and whoever looks never gets on beside a thread that goes first.
        lc_thread_go_along();
        int answer = lc_reap(pid, wait, found);
        lc_thread_go_first();
        return answer;
    }
    int status;
    pid_t reaped;
    do {
        reaped = waitpid(pid, &status, __WALL | (wait ? 0 : WNOHANG));
    } while (reaped < 0 && errno == EINTR);
    if (reaped == 0 || (reaped < 0 && errno == ECHILD)) return 0;
    if (reaped < 0) return -errno;
    found->pid = reaped;
    found->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    found->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return 1;
}

int lc_take_stop(pid_t pid) {
    siginfo_t found = {0};
    if (waitid(P_PID, (id_t)pid, &found, WSTOPPED | WNOHANG) != 0) return -errno;
    return found.si_pid == pid ? found.si_status : 0;
}

static void tell_failure(int report, int in_exec) {
    int failure[2] = {errno, in_exec};
    (void)!write(report, failure, sizeof failure);
}

static int take_stream(int number, int source) {
    if (source == LC_NOTHING)
        source = open("/dev/null", (number == 0 ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
    else if (source < 0) return 0;
    if (source < 0) return -1;
    // dup2 to itself keeps close-on-exec. That is right only for a standard stream, which stands for
    // one that the caller has closed.
    return source == number && number > 2 ? fcntl(number, F_SETFD, 0) : dup2(source, number);
}

// The child's side of lc_spawn: writes to the pipe what failed.
static _Noreturn void run_child(const struct lc_program *program, int report) {
    int in_exec = 0;
    if (report < LC_STREAMS) {
        int moved = fcntl(report, F_DUPFD_CLOEXEC, LC_STREAMS);
        if (moved < 0) goto failed;
        report = moved;
    }
    if (program->dies_with_parent && prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) goto failed;
    lc_take_usual_turns();
    if (program->network >= 0 && setns(program->network, CLONE_NEWNET) != 0) goto failed;
    if (program->starts_session && setsid() < 0) goto failed;
    if (program->leads_group && setpgid(0, 0) != 0) goto failed;
    if (program->is_detached && chdir("/") != 0) goto failed;
    for (int i = 0; i < LC_STREAMS; i++) {
        if (take_stream(i, program->streams[i]) < 0) goto failed;
    }
    if (program->changes_identity) {
        // The raw call: the library's would ask other threads, which this process has not.
        if (syscall(SYS_setgroups, (size_t)program->group_count, program->groups) != 0) goto failed;
        if (syscall(SYS_setresgid, program->group, program->group, program->group) != 0) goto failed;
        if (syscall(SYS_setresuid, program->user, program->user, program->user) != 0) goto failed;
    }
    if (program->is_detached || program->has_only_streams)
        lc_close_range(program->streams[3] == -1 ? 3 : LC_STREAMS, INT_MAX, 1);
    if (program->is_detached || program->guardian.lifeline >= 0)
        for (int number = 1; number < 32; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvpe(program->arguments[0], program->arguments, program->environment);
    in_exec = 1;
failed:
    tell_failure(report, in_exec);
    _exit(127);
}

pid_t lc_fork_program(const struct lc_program *program, int report) {
    // Copying the memory takes most of the time. A change of user would mark the memory as private,
    // which the caller still shares with a child of vfork.
    pid_t pid = program->changes_identity ? fork() : vfork();
    if (pid == 0) run_child(program, report);
    if (pid < 0) tell_failure(report, 0);
    return pid;
}

pid_t lc_spawn(const struct lc_program *program, int *in_exec) {
    int report[2];
    *in_exec = 0;
    if (pipe2(report, O_CLOEXEC) != 0) return -errno;
    // No handler of ours may run in the child before its own program does.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int is_guarded = program->guardian.lifeline >= 0;
    pid_t pid;
    if (!program->is_detached && !is_guarded) {
        pid = lc_fork_program(program, report[1]);
    } else if ((pid = fork()) == 0) {
        if (is_guarded) lc_guard(program, report[1]);
        // The program is not the session leader, so no terminal can become its controlling terminal.
        setsid();
        lc_fork_program(program, report[1]);
        _exit(0);
    } else if (pid < 0) {
        tell_failure(report[1], 0);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(report[1]);
    int failure[2];
    ssize_t length;
    do {
        length = read(report[0], failure, sizeof failure);
    } while (length < 0 && errno == EINTR);
    close(report[0]);
    int has_failed = length == sizeof failure;
    if (pid > 0 && (has_failed || program->is_detached))
        lc_reap(pid, 1, &(struct lc_child_exit){0});
    if (!has_failed) return pid;
    *in_exec = failure[1];
    return -failure[0];
}
