// sched_setattr(2), which the C library lacks.
#ifndef CLINUX_SCHEDULE_H
#define CLINUX_SCHEDULE_H

#include <stdint.h>

struct schedule {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

enum { SCHED_RESET_ON_FORK_FLAG = 1 };

/// Since Linux 6.12 a thread that asks for short turns (in nanoseconds) runs sooner; older kernels
/// ignore this.
enum { SHORT_TURN = 100000 };

#endif
