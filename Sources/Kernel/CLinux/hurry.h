// What children get of the precedence of lc_thread_hurry.
#ifndef CLINUX_HURRY_H
#define CLINUX_HURRY_H

struct hurry {
    int is_on;
    /// The nice value before.
    int usual_nice;
    /// Whether it has the highest priority of ordinary threads, and not only short turns.
    int is_preferred;
};

/// That of the calling thread.
struct hurry lc_current_hurry(void);

/// From now on, what the calling thread starts begins with its hurry; or without if `does_bequeath`
/// is zero, as by default. Without, it waits for its first turn as others do.
void lc_bequeath_hurry(int does_bequeath);

/// Takes over that of the thread that started the calling one; and bequeaths it in turn.
void lc_inherit_hurry(struct hurry former, int does_bequeath);

/// Gives a process that is about to become another program the turns that this one had before its
/// first hurry.
void lc_take_usual_turns(void);

#endif
