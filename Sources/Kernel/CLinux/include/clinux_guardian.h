// A guardian process. When the process that started it ends, in whatever way, it ends a helper
// program and restores kernel parameters.
#ifndef CLINUX_GUARDIAN_H
#define CLINUX_GUARDIAN_H

/// A parameter that several processes want changed while any of them lives.
struct lc_shared_parameter {
    /// A directory that is locked exclusively while any of the files below is read or changed.
    /// Nobody else can open it, or anything in it.
    int directory;
    /// A file in it on which each user holds a shared lock. It holds the original value, if the
    /// parameter was changed.
    int users;
    /// The parameter, open for writing; -1 if it is gone.
    int parameter;
};

/// What a guardian needs.
struct lc_guardian {
    /// One end of a pipe; the watched process holds the other end.
    int lifeline;
    /// A descriptor that the guardian keeps open while the program runs; -1 for none.
    int kept;
    const struct lc_shared_parameter *parameters;
    int parameter_count;
};

struct lc_program;

/// Makes a child of lc_spawn the guardian of the program, and starts that. The guardian ends when
/// the program does.
_Noreturn void lc_guard(const struct lc_program *program, int report);

/// Takes the shared lock of a parameter, on the file `file` of `directory`, opened as `*users`.
/// Returns 1 if the value is not `value`, or another user changed it to that, and 0 if it was
/// `value` to begin with. `current` is the parameter, open for reading.
int lc_share_parameter(
    int directory, const char *file, int current, const char *value, int *users);

/// Writes the value of a shared parameter to `users`, unless another user has done so, and then
/// changes it to `value`. Returns 1 if it was another one.
int lc_change_parameter(
    const struct lc_shared_parameter *parameter, int current, const char *value);

/// Restores a parameter and removes the file, if nobody else holds the shared lock. The process
/// that took the lock may have been killed.
void lc_release_parameter(const struct lc_shared_parameter *parameter);

#endif
