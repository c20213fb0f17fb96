// Process and namespace calls that Swift cannot import. Each function returns a value of zero or
// above, or -errno.
#ifndef CLINUX_PROCESS_H
#define CLINUX_PROCESS_H

#include "clinux_guardian.h"

#include <linux/sched.h>
#include <sys/types.h>

/// The command line as main() gets it, and its number of words. Unlike Swift's, it needs no file to
/// be opened.
char *const *lc_arguments(int *count);

/// The steps of a fork.
enum lc_fork_step {
    LC_FORK_PROCESS,
    LC_FORK_NAMESPACES,
    LC_FORK_USER_NAMESPACE,
    LC_FORK_SETGROUPS,
    LC_FORK_USER_MAP,
    LC_FORK_GROUP_MAP,
};

/// What became of a fork.
struct lc_forked {
    /// The child, or -errno.
    pid_t process;
    /// The step that failed, if any.
    enum lc_fork_step step;
};

/// Network namespaces that the thread which forks makes afterwards, one after another, while the child
/// has other work: it sends a descriptor of each over the socket, and closes that at the end.
struct lc_network_supply {
    /// How many; if none, there is no socket.
    int count;
    int socket;
};

/// fork() on a new thread, which before that moves to new namespaces of these kinds (unshare(2)),
/// if any. The child runs `child`, which does not return, on a thread that has never run Swift: see
/// `Process.fork`. The thread lives as long as the child.
struct lc_forked lc_fork(int namespaces, struct lc_network_supply supply, void (*child)(void *),
                         void *context);

/// Moves the calling process, which has a single thread, to a user namespace of its own that has one user
/// and one group: the caller's, called root there if `as_root`. The process of the outcome is 0, or
/// -errno.
struct lc_forked lc_make_user_namespace(int as_root);

/// Does the same as lc_fork in such a user namespace. A process between the two makes it, and tells by
/// `report` what became of the child; it dies with the thread that made it, and lives as long as the
/// child. The outcome is about the process between.
struct lc_forked lc_fork_as_owner(int as_root, int namespaces, struct lc_network_supply supply,
                                  void (*report)(void *, struct lc_forked), void (*child)(void *),
                                  void *context);

/// Runs the calling thread ahead of all ordinary threads and of the punctual ones of
/// `clinux_packet.h`. Processes and threads that it starts do not inherit this
/// (sched_setscheduler(2)).
int lc_thread_go_first(void);

/// Ends `lc_thread_go_first`.
void lc_thread_go_along(void);

/// Lets the calling thread go before ordinary threads, but not before punctual ones, while it builds
/// what somebody waits for: with the highest priority of ordinary threads where that is allowed, and
/// in short turns (Linux 6.12). Programs that it starts do not inherit this; what it forks by lc_fork
/// does. Threads that are not scheduled as usual stay as they are.
void lc_thread_hurry(void);

/// Ends that, except for the short turns.
void lc_thread_relax(void);

/// unshare(2) with any of CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET.
int lc_unshare(int flags);

/// Gives the calling thread of root the file permissions of this user in these groups, and no more
/// (setfsuid(2)); its other privileges stay.
int lc_take_file_rights(uid_t user, gid_t group, const gid_t *groups, int count);

/// Restores the file permissions that the calling thread had before.
int lc_return_file_rights(void);

/// Makes the kernel kill the calling process when the thread that created it ends.
int lc_die_with_parent(void);

/// mount(2); any text may be NULL.
int lc_mount(const char *source, const char *target, const char *type, unsigned long flags,
             const char *data);

/// memfd_create(2), closed on exec.
int lc_memory_file(const char *name);

/// Blocks `signals` (a list of `count` numbers) and opens a signalfd for them.
int lc_open_signals(const int *signals, int count);

/// What a signalfd reports.
struct lc_signal {
    int number;
    /// Whether a process sent it, rather than the kernel (a terminal's Ctrl-C).
    int was_sent;
};

/// Reads the next signal: 1, or 0 if there is none. Never waits.
int lc_read_signal(int fd, struct lc_signal *signal);

/// pidfd_open(2), closed on exec.
int lc_open_process(pid_t process);

/// pidfd_send_signal(2) with SIGKILL.
int lc_kill_process(int descriptor);

/// A CLOCK_BOOTTIME timer that expires once, after a time above zero.
int lc_boot_timer_create(long long seconds, long nanoseconds);

/// How a child process ended.
struct lc_child_exit {
    pid_t pid;
    /// The exit code, or -1.
    int code;
    /// The signal that ended it, or 0.
    int signal;
};

/// Reaps a child that has ended: 1, or 0 if there is none. Waits for `pid` (-1: any) if `wait`.
int lc_reap(pid_t pid, int wait, struct lc_child_exit *exit);

/// The signal that has stopped a child, if it is still stopped and this was not asked before; else
/// 0. Never waits.
int lc_take_stop(pid_t pid);

/// Closes the descriptors from `first` to `last`, now or when a program is executed.
void lc_close_range(int first, int last, int on_exec);

/// The number of descriptors that a program can be given.
#define LC_STREAMS 4

/// Stands for a descriptor of /dev/null.
#define LC_NOTHING (-2)

/// A program to be started.
struct lc_program {
    /// The words, ended by NULL; the first is the program, looked up in PATH if it has no slash.
    char *const *arguments;
    /// The variables, ended by NULL.
    char *const *environment;
    /// The network namespace, or -1 for the caller's.
    int network;
    /// Descriptors that become 0 to 3; LC_NOTHING; or -1 to keep the present one.
    int streams[LC_STREAMS];
    /// Whether it leads its own session, without the caller's terminal.
    int starts_session;
    /// Whether it leads its own process group.
    int leads_group;
    /// Whether to change to this user and these groups.
    int changes_identity;
    uid_t user;
    gid_t group;
    const gid_t *groups;
    int group_count;
    /// Whether the kernel kills it when the thread that starts it ends.
    int dies_with_parent;
    /// Whether it has no descriptors but the streams, whatever others are not closed on exec.
    int has_only_streams;
    /// Whether it has no parent that waits for it. It is in a new session that it does not lead. Its
    /// directory is the root, it has no descriptors but the streams, and no signal is ignored.
    int is_detached;
    /// Its guardian; a lifeline of -1 means none.
    struct lc_guardian guardian;
};

/// Starts the program, and returns its process ID; the session ID of a detached program, and the
/// guardian's process ID where there is one. No signal is blocked in it; it ignores those that the
/// caller ignores, unless it is detached or guarded. On failure returns `-errno`, with `*in_exec`
/// set if execution of the program failed. Safe with many threads: the child makes only
/// async-signal-safe calls.
pid_t lc_spawn(const struct lc_program *program, int *in_exec);

/// Forks the process of the program, and writes to `report` what fails. For children of lc_spawn.
pid_t lc_fork_program(const struct lc_program *program, int report);

#endif
