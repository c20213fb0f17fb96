// What children get of the precedence of lc_thread_hurry.
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

/// Gives a process that is about to become another program the turns that this one had before its
/// first hurry.
void lc_take_usual_turns(void);

#endif
