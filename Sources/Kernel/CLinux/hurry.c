#define _GNU_SOURCE
#include "hurry.h"

#include "clinux_process.h"
#include "schedule.h"

#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static __thread struct hurry hurry;

// Since its first hurry a process has short turns, as have the processes that it forks: they pass
// each other messages all the time. `length` is that of the turns before; 0 if that is the kernel's
// business (before Linux 6.12).
static struct {
    int are_changed;
    uint64_t length;
} usual_turns;

static int schedule(int nice, uint64_t turn, uint64_t flags) {
    struct schedule request = {
        .size = sizeof request, .policy = SCHED_OTHER, .flags = flags, .nice = nice, .runtime = turn};
    return (int)syscall(SYS_sched_setattr, 0, &request, 0);
}

static void note_usual_turns(void) {
    if (usual_turns.are_changed) return;
    struct schedule usual = {0};
    if (syscall(SYS_sched_getattr, 0, &usual, sizeof usual, 0) == 0)
        usual_turns.length = usual.runtime;
    usual_turns.are_changed = 1;
}

struct hurry lc_current_hurry(void) { return hurry; }

void lc_bequeath_hurry(int does_bequeath) {
    // Short turns alone are always inherited.
    if (!hurry.is_on || !hurry.is_preferred) return;
    schedule(-20, SHORT_TURN, does_bequeath ? 0 : SCHED_RESET_ON_FORK_FLAG);
}

void lc_inherit_hurry(struct hurry former, int does_bequeath) {
    hurry = former;
    if (!hurry.is_on || !hurry.is_preferred) return;
    if (schedule(-20, SHORT_TURN, does_bequeath ? 0 : SCHED_RESET_ON_FORK_FLAG) == 0) return;
    hurry.is_preferred = 0;
    schedule(hurry.usual_nice, SHORT_TURN, 0);
}

void lc_thread_hurry(void) {
    if (hurry.is_on || (sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) != SCHED_OTHER) return;
    note_usual_turns();
    hurry.usual_nice = getpriority(PRIO_PROCESS, 0);
    // What a thread starts gets a nice value of zero in the place of a negative one.
    hurry.is_preferred = schedule(-20, SHORT_TURN, SCHED_RESET_ON_FORK_FLAG) == 0;
    hurry.is_on = hurry.is_preferred || schedule(hurry.usual_nice, SHORT_TURN, 0) == 0;
}

void lc_thread_relax(void) {
    if (!hurry.is_on) return;
    hurry.is_on = 0;
    // Only the privileged may let others inherit again.
    if (schedule(hurry.usual_nice, SHORT_TURN, 0) != 0)
        schedule(hurry.usual_nice, SHORT_TURN, SCHED_RESET_ON_FORK_FLAG);
}

void lc_take_usual_turns(void) {
    if (usual_turns.are_changed) schedule(getpriority(PRIO_PROCESS, 0), usual_turns.length, 0);
}
