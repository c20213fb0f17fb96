// A process that ends a helper program, and puts parameters of the kernel back, when the process
// that started it is gone, however that ended.
#ifndef CLINUX_GUARDIAN_H
#define CLINUX_GUARDIAN_H

/// A parameter that several processes want changed as long as any of them lives.
struct lc_shared_parameter {
    /// A directory that is locked exclusively while anything below is looked at or changed. Nobody
    /// else can open it, or anything in it.
    int directory;
    /// A file in it on which each user holds a shared lock, and which has the original value, if it
    /// was changed.
    int users;
    /// The parameter, open for writing; -1 if it is gone.
    int parameter;
};

struct lc_guarded {
    /// The program to execute.
    const char *path;
    char *const *arguments;
    char *const *environment;
    /// What the program reads from; -1 for nothing.
    int input;
    /// A descriptor that the guardian keeps open as long as the program runs; -1 for none.
    int kept;
    /// A descriptor that the program finds under the number `ready_number`; -1 for none.
    int ready;
    int ready_number;
    /// Where the program writes its outputs to; a `ready_number` of 1 replaces the first.
    int output;
    /// The end of a pipe whose other end the process that is watched over holds.
    int lifeline;
    const struct lc_shared_parameter *parameters;
    int parameter_count;
};

/// Starts a guardian with the program. Returns the guardian's process, or -errno. The guardian
/// ends when the program does.
int lc_start_guarded(const struct lc_guarded *guarded);

/// Takes the shared lock of a parameter, on the file `file` of `directory`, which is opened as
/// `*users`. Returns 1 if its value is not `value`, or was changed to that by another user, and 0 if
/// it is so by itself. `current` is the parameter, open for reading.
int lc_share_parameter(
    int directory, const char *file, int current, const char *value, int *users);

/// Writes the value of a shared parameter to `users`, unless another user did, and then changes
/// it to `value`.
int lc_change_parameter(
    const struct lc_shared_parameter *parameter, int current, const char *value);

/// Restores a parameter and removes the file, if nobody else has the shared lock; whoever did may
/// have been killed.
void lc_release_parameter(const struct lc_shared_parameter *parameter);

#endif
