// How lc_fork carries the precedence of lc_thread_hurry to a child.
#ifndef CLINUX_HURRY_H
#define CLINUX_HURRY_H

struct hurry {
    int is_on;
    /// The nice value before.
    int usual_nice;
};

/// That of the calling thread.
struct hurry lc_current_hurry(void);

/// Takes over that of the thread that started the calling one.
void lc_inherit_hurry(struct hurry former);

#endif
