#include "clinux_process.h"

#include <stdlib.h>
#include <unistd.h>

static char **words;
static int count;
static int has_named_root;

// Runs before the constructors of the Swift runtime. They look for the runtime's directory, which
// may hold a backtrace program. In a statically linked program they ask /proc for it, and abort
// where /proc is not mounted. This names a directory with nothing in it.
__attribute__((constructor(101))) static void name_root(void) {
    has_named_root = access("/proc/self/exe", F_OK) != 0 && !getenv("SWIFT_ROOT") &&
                     setenv("SWIFT_ROOT", "/", 0) == 0;
}

// glibc passes these to functions that it runs before main().
__attribute__((constructor)) static void keep(int argc, char **argv) {
    words = argv;
    count = argc;
}

char *const *lc_arguments(int *found) {
    // The runtime has read it by now, and child processes must not inherit it.
    if (has_named_root) unsetenv("SWIFT_ROOT");
    has_named_root = 0;
    *found = count;
    return words;
}
